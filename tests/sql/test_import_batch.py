"""import_batch does what observe and remember do, for many lines at once."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import psycopg
import pytest

from support.memory import Memory


def stored(memory: Memory, *lines: dict[str, Any]) -> list[UUID]:
    return memory.call("select memhouse.import_batch(%s)", json.dumps(lines))


def statement(text: str, **named: object) -> dict[str, Any]:
    return {"type": "knowledge", "scope": "lab/a", "statement": text, **named}


def observation(text: str, **named: object) -> dict[str, Any]:
    return {"type": "observation", "scope": "lab/a", "content": text, **named}


def table(memory: Memory, query: str) -> list[tuple]:
    return memory.conn.execute(query).fetchall()


KNOWLEDGE = """
    select statement, kind::text, sensitivity::text, target_level::text, lifecycle_state::text, active_during, provisional_during,
        confidence, corroboration, relevant_from, relevant_until, expires_at, metadata, written_by, scope_id, subject_peer_id
    from memhouse.knowledge where knowledge_id = any (%s) order by knowledge_id
"""


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"subject_peer": "ada", "kind": "preference", "sensitivity": "personal"},
        {"confidence": 0.25, "relevant_from": "2026-01-01T00:00:00Z", "relevant_until": "2026-02-01T00:00:00Z"},
        {"expires_at": "2200-01-01T00:00:00Z", "metadata": {"a": 1}, "state": "proposed"},
        {"subject_peer": "bob", "state": "provisional"},
    ],
)
def test_a_line_is_stored_as_remember_stores_it(memory: Memory, named: dict[str, Any]) -> None:
    memory.write()
    one = memory.remember(
        "The same.", **{"sensitivity": "internal", **named, "metadata": json.dumps(named.get("metadata", {}))}
    )
    (other,) = stored(memory, statement("The same.", **named))
    rows = [memory.conn.execute(KNOWLEDGE, ([id],)).fetchone() for id in (one, other)]
    assert rows[0] == rows[1]


def test_sources_of_the_same_batch_and_before_it(memory: Memory) -> None:
    memory.write()
    (earlier,) = stored(memory, observation("Earlier.", peer_key="ada", source_key="o-0"))
    first, again, fact = stored(
        memory,
        observation("Now.", source_key="o-1"),
        observation("Earlier.", peer_key="ada", source_key="o-0"),
        statement("It follows.", sources=[str(earlier)], source_places=[1, 2]),
    )
    assert again == earlier
    assert table(memory, "select knowledge_id, observation_id from memhouse.knowledge_source order by 2") == sorted(
        [(fact, first), (fact, earlier)]
    )


def test_a_source_key_is_stored_once(memory: Memory) -> None:
    memory.write()
    (kept,) = [memory.remember("One.", source_key="k-1")]
    ids = stored(
        memory,
        statement("One.", source_key="k-1"),
        statement("Two.", source_key="k-2"),
        statement("Two again.", source_key="k-2", scope="lab/b"),
        observation("Two, observed.", source_key="k-2"),
        statement("No key."),
        statement("No key."),
    )
    assert ids[0] == kept
    assert ids[1] == ids[2]
    assert len(set(ids)) == 5
    assert table(memory, "select count(*) from memhouse.knowledge") == [(4,)]
    assert stored(memory, statement("Two.", source_key="k-2")) == [ids[1]]


@pytest.mark.parametrize("way", ["remember", "import_batch"])
def test_a_key_is_looked_up_by_itself_in_an_account_the_statistics_do_not_know(memory: Memory, way: str) -> None:
    def fetched() -> int:
        return memory.call(
            "select idx_tup_fetch from pg_stat_xact_user_tables where relid = 'memhouse.knowledge'::regclass"
        )

    def fill(token: str) -> None:
        memory.conn.execute("select memhouse.begin_write(%s)", (token,))
        stored(memory, *(statement(f"Line {n}.", source_key=f"k-{n}") for n in range(2000)))

    memory.call("select memhouse.create_account('known')")
    memory.call("select memhouse.create_scope('known', 'lab/a')")
    token = memory.call("select memhouse.create_credential('known', 'writer')")
    memory.call("select memhouse.grant_scope('known', 'writer', 'lab/a', 'member')")
    fill(token)
    memory.conn.execute("analyze memhouse.knowledge")
    fill(memory.writer)
    before = fetched()
    if way == "remember":
        memory.remember("One more.", source_key="k-2000")
    else:
        stored(memory, statement("One more.", source_key="k-2000"))
    assert fetched() - before < 100


def test_each_line_is_in_the_audit_log_as_if_it_came_alone(memory: Memory) -> None:
    memory.write()
    ids = stored(
        memory, observation("Seen."), statement("Known.", state="proposed"), statement("Known.", source_key="k")
    )
    stored(memory, statement("Known.", source_key="k"))
    assert table(
        memory,
        "select action, target_id, detail from memhouse.audit_log where action in ('observe', 'remember') order by target_id",
    ) == [
        ("observe", ids[0], {}),
        ("remember", ids[1], {"state": "proposed"}),
        ("remember", ids[2], {"state": "active"}),
    ]


def test_vectors_come_with_their_statements(memory: Memory) -> None:
    memory.call("select memhouse.register_embedding_identity('test', 'words', '1', 3)")
    memory.write()
    first, _ = stored(memory, statement("One.", embedding="[1,0,0]", identity="test:words@1#3"), statement("None."))
    assert table(memory, "select knowledge_id, vec::text from memhouse.embedding") == [(first, "[1,0,0]")]


def test_nothing_makes_an_empty_batch(memory: Memory) -> None:
    memory.write()
    assert stored(memory) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (statement("x", scope="nowhere"), "MH007"),
        (statement("x", scope=None), "MH007"),
        (statement(" "), "MH010"),
        (statement("x", kind="guess"), "MH010"),
        (statement("x", sensitivity="secret"), "MH010"),
        (statement("x", state="redacted"), "MH010"),
        (statement("x", confidence=1.5), "MH010"),
        (statement("x", target_level="peer"), "MH010"),
        (statement("x", source_key=" "), "MH010"),
        (statement("x", metadata=[]), "MH010"),
        (statement("x", subject_peer="ada", target_level="scope"), "MH022"),
        (statement("x", subject_peer="nobody"), "MH006"),
        (statement("x", sources=["00000000-0000-0000-0000-000000000000"]), "MH015"),
        (statement("x", source_places=[1]), "MH015"),
        (statement("x", surprise=1), "MH010"),
        (statement("x", embedding="[1,0]"), "MH013"),
        (observation(""), "MH010"),
        (observation("x", role=" "), "MH010"),
        (observation("x", peer_key="nobody"), "MH006"),
        ({"type": "scope", "scope": "lab/a"}, "MH010"),
        ("text", "MH010"),
    ],
)
def test_a_line_that_is_not_valid_stores_nothing(memory: Memory, line: Any, code: str) -> None:
    memory.write()
    with pytest.raises(psycopg.Error) as error, memory.conn.transaction():
        stored(memory, statement("Fine."), line)
    assert error.value.sqlstate == code
    assert table(memory, "select count(*) from memhouse.knowledge") == [(0,)]


def test_a_read_may_not_store(memory: Memory) -> None:
    memory.read()
    with pytest.raises(psycopg.Error) as error:
        stored(memory, statement("x"))
    assert error.value.sqlstate == "MH014"
