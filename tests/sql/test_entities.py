"""The mention index: what counts as a name, and how the index is built and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psycopg
import pytest

from support.house import House
from support.memory import Memory


def names(db: psycopg.Connection, text: str) -> dict[str, float]:
    rows = db.execute("select name_key, confidence from memhouse.extract_mentions(%s)", (text,)).fetchall()
    return {name: round(confidence, 2) for name, confidence in rows}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we met Dana Reyes in the lobby.", {"dana reyes": 1.0}),
        ("ask Dana's manager at Bank of America", {"dana": 1.0, "bank of america": 1.0}),
        ("the job is in billing/reconcile.py, see ACME-142", {"billing/reconcile.py": 0.9, "acme-142": 0.9}),
        ("set user_id before userName", {"user_id": 0.9, "username": 0.9}),
        ('she read "a long, long night" twice', {"a long, long night": 0.8}),
        ("Paris is nice.", {"paris": 0.5}),
        ("it starts at 02:00 UTC on Monday in May.", {}),
        ("Yes! Well, thanks. Okay.", {}),
        ("What did the others say?", {}),
        ("a well-known, up-to-date plan of 3.14", {}),
        ("", {}),
    ],
)
def test_names_of_a_text(db: psycopg.Connection, text: str, expected: dict[str, float]) -> None:
    assert names(db, text) == expected


def index(memory: Memory) -> dict[str, int]:
    return dict(memory.conn.execute("select name_key, count(*) from memhouse.entity_mention group by 1").fetchall())


def test_a_word_that_only_opens_sentences_is_no_name(memory: Memory) -> None:
    memory.write()
    memory.remember("Meetings are long.")
    memory.remember("Paris is nice.")
    memory.remember("we flew to Paris.")
    memory.remember("Ada was there.")
    memory.internal()
    memory.call("select memhouse.rebuild_entities()")
    assert index(memory) == {"paris": 2, "ada": 1}


@pytest.mark.parametrize("call", ["rebuild_entities()", "refresh_entities()"])
@pytest.mark.parametrize(
    ("elsewhere", "mentions"),
    [
        ({}, 2),
        ({"scope": "lab/b"}, 1),
        ({"sensitivity": "restricted"}, 1),
        ({"sensitivity": "personal", "subject_peer": "bob", "target_level": "peer"}, 1),
        ({"state": "provisional", "subject_peer": "bob"}, 1),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_a_name_is_known_from_statements_for_the_same_readers_only(
    memory: Memory, call: str, elsewhere: dict[str, str], mentions: int, at_once: bool
) -> None:
    memory.write()
    memory.remember("They hired a spy called Quetzal.", **elsewhere)
    if not at_once:
        memory.internal()
        memory.call(f"select memhouse.{call}")
        memory.write()
    memory.remember("Quetzal opened.")
    memory.internal()
    memory.call(f"select memhouse.{call}")
    assert index(memory) == {"quetzal": mentions}


def test_a_first_word_is_a_name_because_of_a_name_and_not_because_of_a_first_word(memory: Memory) -> None:
    memory.write()
    told = memory.remember("They hired a spy called Quetzal.")
    memory.remember("Quetzal opened.")
    memory.internal()
    memory.call("select memhouse.refresh_entities()")
    memory.write()
    memory.call("select memhouse.erase(%s)", told)
    memory.remember("Quetzal closed.")
    memory.internal()
    memory.call("select memhouse.refresh_entities()")
    # The first word of a statement indexed before stays until a rebuild.
    assert index(memory) == {"quetzal": 1}
    memory.call("select memhouse.rebuild_entities()")
    assert index(memory) == {}


@pytest.mark.parametrize("call", ["rebuild_entities()", "refresh_entities()"])
def test_what_nobody_retrieves_makes_no_names(memory: Memory, call: str) -> None:
    memory.write()
    memory.remember("They hired a spy called Quetzal.", state="proposed")
    opened = memory.remember("Quetzal opened.", state="proposed")
    memory.internal()
    memory.call(f"select memhouse.{call}")
    assert index(memory) == {"quetzal": 1}
    memory.write()
    memory.remember("We saw Quetzal.")
    memory.call("select memhouse.transition(%s, 'active')", opened)
    memory.internal()
    assert memory.call("select memhouse.refresh_entities()") == 2
    assert index(memory) == {"quetzal": 3}


def test_a_statement_that_moves_leaves_what_its_neighbours_made_a_name(memory: Memory) -> None:
    memory.write()
    memory.remember("They hired a spy called Quetzal.")
    moved = memory.remember("Quetzal opened for Dana Reyes. Ada was there.")
    memory.internal()
    memory.call("select memhouse.refresh_entities()")
    assert index(memory) == {"quetzal": 2, "dana reyes": 1, "ada": 1}
    memory.write()
    memory.call("select memhouse.transition(%s, 'deprecated')", moved)
    assert index(memory) == {"quetzal": 1, "dana reyes": 1}
    memory.internal()
    assert memory.call("select memhouse.refresh_entities()") == 1
    assert index(memory) == {"quetzal": 1, "dana reyes": 1, "ada": 1}


def test_new_statements_are_read_a_few_at_a_time(memory: Memory) -> None:
    memory.write()
    for number in range(5):
        memory.remember(f"we met Dana Reyes, take {number}.")
    memory.internal()
    assert [memory.call("select memhouse.refresh_entities(2)") for _ in range(4)] == [2, 2, 1, 0]
    assert index(memory) == {"dana reyes": 5}
    memory.write()
    memory.remember("Paris is nice.")
    memory.remember("Dana Reyes left.")
    memory.internal()
    assert memory.call("select memhouse.refresh_entities()") == 2
    assert index(memory) == {"dana reyes": 6}


@pytest.mark.parametrize("indexed", [True, False])
def test_a_snapshot_older_than_the_index_is_not_the_one_to_move_a_statement(own_house: House, indexed: bool) -> None:
    """It would leave mentions that it does not see in an audience that is no longer the statement's."""
    own_house.credential("curator", ("acme", "curator"), clearance="restricted")
    begin = ("select from memhouse.begin_write(%s)", (own_house.tokens["curator"],))
    conn = psycopg.connect(own_house.as_user("app_writer"))
    with conn, psycopg.connect(own_house.dsn) as job:
        conn.execute(*begin)
        id = conn.execute("select memhouse.remember('acme', 'we met Dana Reyes.')").fetchone()[0]
        conn.commit()
        conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        conn.execute(*begin)
        if indexed:
            job.execute("select from memhouse.begin_internal('acme')")
            assert job.execute("select memhouse.refresh_entities()").fetchone() == (1,)
            job.commit()
            with pytest.raises(psycopg.errors.SerializationFailure):
                conn.execute("select memhouse.transition(%s, 'deprecated')", (id,))
            conn.rollback()
            conn.execute(*begin)
        conn.execute("select memhouse.transition(%s, 'deprecated')", (id,))
        conn.commit()
        # Indexed or not, it is as if there had been one snapshot for all.
        job.execute("select from memhouse.begin_internal('acme')")
        assert job.execute("select memhouse.refresh_entities()").fetchone() == (1,)
        job.commit()
    assert own_house.execute(
        "select m.audience = k.audience from memhouse.entity_mention as m join memhouse.knowledge as k using (account_id, knowledge_id)"
    ) == [(True,)]


def test_a_rebuild_that_waits_for_a_statement_holds_nothing_of_the_later_ones(own_house: House) -> None:
    """Or it would wait for whoever moves one of them, and they for it."""
    own_house.credential("curator", ("acme", "curator"), clearance="restricted")
    begin = ("select from memhouse.begin_write(%s)", (own_house.tokens["curator"],))
    rebuild = "select from memhouse.begin_internal('acme'); select memhouse.rebuild_entities()"
    writer = own_house.as_user("app_writer")
    with psycopg.connect(own_house.dsn) as job, psycopg.connect(writer) as first, psycopg.connect(writer) as later:
        first.execute(*begin)
        ids = [
            first.execute("select memhouse.remember('acme', %s)", (f"we met Dana Reyes, take {n}.",)).fetchone()[0]
            for n in range(20)
        ]
        first.commit()
        own_house.execute(rebuild)
        first.execute(*begin)
        first.execute("select memhouse.set_expiry(%s, now() + interval '1 day')", (ids[0],))
        rebuilding = threading.Thread(target=lambda: job.execute(rebuild))
        rebuilding.start()
        waits = ("select %s = any (pg_blocking_pids(%s))", first.info.backend_pid, job.info.backend_pid)
        while own_house.execute(*waits) != [(True,)]:
            assert rebuilding.is_alive()
            time.sleep(0.01)
        later.execute(*begin)
        later.execute("set local lock_timeout = '2s'")
        for id in ids[1:]:
            later.execute("select memhouse.transition(%s, 'deprecated')", (id,))
        later.commit()
        first.commit()
        rebuilding.join(30)
        job.commit()
    assert own_house.execute(
        "select count(*), bool_and(m.audience = k.audience) from memhouse.entity_mention as m join memhouse.knowledge as k using (account_id, knowledge_id)"
    ) == [(20, True)]


def test_an_alias_merges_only_when_it_was_confirmed(memory: Memory) -> None:
    memory.write()
    memory.remember("we met Dana Reyes.")
    memory.remember("and Dana again.")
    memory.internal()
    memory.call("select memhouse.rebuild_entities()")
    assert memory.conn.execute("select * from memhouse.entity_aliases()").fetchall() == [("dana", "dana reyes", False)]
    assert index(memory) == {"dana reyes": 1, "dana": 1}
    memory.call("select memhouse.confirm_entity_alias('Dana', 'Dana Reyes')")
    memory.call("select memhouse.rebuild_entities()")
    assert index(memory) == {"dana reyes": 2}
    memory.call("select memhouse.confirm_entity_alias('Dana', 'Dana Reyes', false)")
    memory.call("select memhouse.rebuild_entities()")
    assert index(memory) == {"dana reyes": 1, "dana": 1}


def test_an_alias_is_forgotten_with_the_last_mention_of_its_name(memory: Memory) -> None:
    memory.write()
    named = [memory.remember("we met Dana Reyes.", scope=scope) for scope in ("lab/a", "lab/b")]
    memory.remember("and Dana again, with Lee Park and Lee.")
    memory.internal()
    memory.call("select memhouse.rebuild_entities()")
    aliases = "select alias from memhouse.entity_aliases()"
    for id, left in zip(named, (["dana", "lee"], ["lee"]), strict=True):
        memory.write()
        memory.call("select memhouse.erase(%s)", id)
        memory.internal()
        assert [alias for (alias,) in memory.conn.execute(aliases)] == left


def test_rebuilding_a_scope_leaves_the_others(memory: Memory) -> None:
    memory.write()
    memory.remember("we met Dana Reyes.")
    memory.remember("we met Lee Park.", scope="lab/b")
    memory.internal()
    memory.call("select memhouse.rebuild_entities('lab/a')")
    assert index(memory) == {"dana reyes": 1}
    memory.call("select memhouse.rebuild_entities('lab/b')")
    assert index(memory) == {"dana reyes": 1, "lee park": 1}


def test_a_rebuild_that_fails_leaves_the_index_as_it_was(memory: Memory) -> None:
    memory.write()
    memory.remember("we met Dana Reyes.")
    memory.internal()
    memory.call("select memhouse.rebuild_entities()")
    memory.conn.execute("alter table memhouse.entity_mention add constraint none check (false) not valid")
    with pytest.raises(psycopg.errors.CheckViolation), memory.conn.transaction():
        memory.call("select memhouse.rebuild_entities()")
    assert index(memory) == {"dana reyes": 1}


@pytest.mark.parametrize(
    "call", ["rebuild_entities()", "refresh_entities()", "entity_aliases()", "confirm_entity_alias('a', 'b')"]
)
def test_entities_are_server_side_work(memory: Memory, fails: Callable, call: str) -> None:
    fails("MH001", f"select memhouse.{call}")
    memory.write()
    fails("MH014", f"select memhouse.{call}")
