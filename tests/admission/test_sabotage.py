"""Each wall is taken down in turn. What is left still holds, and the comparisons of this suite notice the gap."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest

from support.fortress import Fortress, build
from support.servers import Server
from support.world import begin, selected

OPEN_VIEW = """
create or replace view memhouse.admissible_knowledge as
select
    k.account_id, k.knowledge_id, k.audience, k.scope_id, k.subject_peer_id, k.kind, k.statement, k.sensitivity, k.target_level,
    k.lifecycle_state, k.confidence, k.corroboration, k.relevant_from, k.relevant_until, k.recorded_at, k.expires_at, k.tsv, k.changed_at
from memhouse.knowledge as k
"""
RENEGADE_STRATEGY = """
create or replace function memhouse.strategy_{name}(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$ begin return query select k.knowledge_id, 1::double precision, null::jsonb from memhouse.knowledge as k; end $$;
alter function memhouse.strategy_{name}(memhouse.request, integer) owner to postgres;
"""
BLIND_POLICY = "alter policy admitted on memhouse.knowledge using (true)"
QUERIES = ("topic", "", '"alpha harbour"')


@pytest.fixture
def doomed(server: Server, database: str) -> Iterator[Fortress]:
    fortress = build(server, database)
    yield fortress
    server.drop_database(fortress.name)


def reader(fortress: Fortress) -> psycopg.Connection:
    conn = psycopg.connect(fortress.dsn())
    begin(conn, fortress.tokens["weak"])
    return conn


def searched(conn: psycopg.Connection) -> set[uuid.UUID]:
    return {
        row[0]
        for query in QUERIES
        for row in conn.execute(
            "select id from memhouse.search(%s, '[1, 0.5, 0.25]', 'thorough', 100, p_deadline_ms => 60000)", (query,)
        )
    }


def seen_by_strategies(fortress: Fortress) -> set[uuid.UUID]:
    with fortress.admin() as conn, conn.transaction():
        begin(conn, fortress.tokens["weak"])
        conn.execute("set local role memhouse_strategy")
        return {row[0] for row in conn.execute("select knowledge_id from memhouse.admissible_knowledge")}


def listed(conn: psycopg.Connection) -> set[uuid.UUID]:
    return {row[0] for row in conn.execute("select id from memhouse.list_knowledge(p_limit => 100)")}


def test_the_predicate_gone_from_the_view(doomed: Fortress) -> None:
    assert seen_by_strategies(doomed) == doomed.visible
    with doomed.admin() as admin:
        admin.execute(OPEN_VIEW)
    with reader(doomed) as conn:
        assert searched(conn) <= doomed.visible
        assert selected(conn) == listed(conn) == doomed.visible
    # Noticed: the view is no longer equal to the others.
    assert seen_by_strategies(doomed) > doomed.visible


@pytest.mark.parametrize(
    "name", ["lexical", "semantic", "temporal", "salience_recency", "entity_match", "relation_expand"]
)
def test_a_strategy_that_ignores_admission(doomed: Fortress, name: str) -> None:
    with doomed.admin() as admin:
        admin.execute(RENEGADE_STRATEGY.format(name=name))
    with reader(doomed) as conn:
        assert searched(conn) <= doomed.visible
        # Noticed: it proposes more than there is for this reader.
        proposed = [
            outcome["candidates"]
            for query in QUERIES
            for outcome in conn.execute(
                "select memhouse.search_report(%s, '[1, 0.5, 0.25]', 'thorough', 100, now(), p_deadline_ms => 60000)",
                (query,),
            ).fetchone()[0]["strategies"]["contributed"]
            if outcome["name"] == name
        ]
        assert max(proposed) > len(doomed.visible)


def test_a_strategy_cannot_read_what_is_behind_the_view(doomed: Fortress) -> None:
    """The same renegade, but owned as strategies are: it is refused, and dropped as failed."""
    with doomed.admin() as admin:
        admin.execute(
            RENEGADE_STRATEGY.format(name="lexical").replace("owner to postgres", "owner to memhouse_strategy")
        )
    with reader(doomed) as conn:
        report = conn.execute("select memhouse.search_report('topic', p_limit => 100)").fetchone()[0]
        assert [(o["name"], o["reason_class"]) for o in report["strategies"]["dropped"] if o["name"] == "lexical"] == [
            ("lexical", "failed")
        ]


def test_the_policy_of_the_api_gone(doomed: Fortress) -> None:
    with doomed.admin() as admin:
        admin.execute(BLIND_POLICY)
    with reader(doomed) as conn:
        assert searched(conn) <= doomed.visible  # strategies still see only the view
        assert selected(conn) == doomed.visible  # and a reader's own SQL has a policy of its own
        assert listed(conn) - doomed.visible  # noticed: what reads without a strategy shows it
