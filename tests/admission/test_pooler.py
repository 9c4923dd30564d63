"""A transaction pool hands one connection to one tenant after the other. What one leaves behind must not reach the next."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest

from memhouse_thin import Client
from memhouse_thin import sql as client_sql
from support.fortress import CANARY, Fortress


@pytest.fixture
def vandal(pool: str) -> Iterator[psycopg.Connection]:
    """A tenant that shares the login and, in turn, the one server connection."""
    with psycopg.connect(pool, autocommit=True, prepare_threshold=None) as conn:
        yield conn
        conn.execute("discard all")


def client(pool: str, fortress: Fortress, who: str) -> Client:
    return Client(pool, credential=fortress.tokens[who])


def test_the_next_tenant_has_no_posture(pool: str, fortress: Fortress, vandal: psycopg.Connection) -> None:
    with client(pool, fortress, "boss") as victim:
        assert any(CANARY in hit.statement for hit in victim.search("topic", limit=100, deadline_ms=60000))
    assert vandal.execute("select count(*) from memhouse.knowledge").fetchone() == (0,)
    assert vandal.execute(
        "select current_setting('memhouse.reader', true), current_setting('memhouse.seal', true)"
    ).fetchone() in ((None, None), ("", ""))


def test_tenants_take_turns(pool: str, fortress: Fortress) -> None:
    with client(pool, fortress, "weak") as weak, client(pool, fortress, "boss") as boss:
        for _ in range(5):
            for tenant, sees in ((weak, False), (boss, True)):
                hits = tenant.search("topic", limit=100, deadline_ms=60000)
                assert any(CANARY in hit.statement for hit in hits) == sees


def test_a_vector_passes(pool: str, fortress: Fortress) -> None:
    answers = []
    for dsn in (pool, fortress.dsn()):
        with client(dsn, fortress, "boss") as tenant:
            answer = tenant.search("topic", limit=100, deadline_ms=60000, embedding=[1.0, 0.5, -1 / 3])
            assert "semantic" in {item.name for item in answer.strategies.contributed}
            answers.append([(hit.id, hit.fusion_score) for hit in answer])
    assert answers[0] == answers[1]


POISON = [
    "set memhouse.reader = '(,,,internal,,restricted,,,,)'; set memhouse.seal = '1:00'",
    "set row_security = off",
    "set search_path = pg_temp; create temp table knowledge (x int)",
    # A type of that name in pg_temp comes before the one of pg_catalog, and its check sees every value that is cast.
    """create temp table loot (value pg_catalog.text);
       create function pg_temp.take(v pg_catalog.text) returns boolean language plpgsql as
       $$ begin insert into pg_temp.loot values (v); return true; end $$;
       create domain pg_temp.text as pg_catalog.text check (pg_temp.take(value));
       create domain pg_temp.jsonb as pg_catalog.jsonb check (pg_temp.take(value::pg_catalog.text));
       create domain pg_temp.timestamptz as pg_catalog.timestamptz check (pg_temp.take(value::pg_catalog.text))""",
    # Functions and operators, where the login may create them.
    """create temp table loot (value pg_catalog.text);
       create function pg_temp.set_config(a text, b text, c boolean) returns text language plpgsql as
       $$ begin insert into pg_temp.loot values (a || b); return b; end $$;
       set search_path = pg_temp, pg_catalog""",
]


@pytest.mark.parametrize("poison", POISON)
def test_a_poisoned_connection(pool: str, fortress: Fortress, vandal: psycopg.Connection, poison: str) -> None:
    vandal.execute(poison)
    with client(pool, fortress, "boss") as victim:
        try:
            victim.search("a question of the boss", limit=5, deadline_ms=60000, filters={"kind": "fact"})
        except Exception as error:
            # Out of service is the worst that one tenant does to another.
            assert "row_security" in poison, error
    if "loot" in poison:
        taken = str(vandal.execute("select * from pg_temp.loot").fetchall())
        assert fortress.tokens["boss"] not in taken
        assert "question of the boss" not in taken


def test_the_client_names_every_type_with_its_schema() -> None:
    texts = [text for name, text in vars(client_sql).items() if name.isupper() and isinstance(text, str)]
    assert len(texts) > 20
    # These are words of the grammar, which looks nothing up.
    keywords = {"boolean", "int", "real", "interval", "numeric", "pg_catalog", "memhouse"}
    for text in texts:
        assert set(re.findall(r"::(\w+)", text)) <= keywords, text
        assert not re.search(r"(?<![.\w])(set_config|current_setting|now|clock_timestamp)\(", text), text
