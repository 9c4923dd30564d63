"""The deadline counts from the client's call, and holds whatever is slow."""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg
import pytest

from memhouse_thin import Client, errors
from memhouse_thin.core import MARGIN_MS
from support.house import House, WordEmbedder
from support.servers import Server


@pytest.mark.parametrize("deadline_ms", [60, 200, None])
def test_a_late_strategy_is_dropped_and_the_rest_answers(
    own_house: House, slow_lexical: Callable[[House], None], deadline_ms: int | None
) -> None:
    with own_house.client(embedder=WordEmbedder(), deadline_ms=None) as client:
        client.remember("The billing job runs at night.", scope="acme", sensitivity="public")
        slow_lexical(own_house)
        for _ in range(5):  # the first on a cold backend
            started = time.perf_counter()
            result = client.search("when does billing run?", deadline_ms=deadline_ms)
            took_ms = (time.perf_counter() - started) * 1000
            assert [(item.name, item.reason_class) for item in result.strategies.dropped][:1] == [
                ("lexical", "timeout")
            ]
            # Far less than the sleep of ten seconds; how much less depends on who else uses this machine.
            assert result.deadline_ms <= (deadline_ms or 300) <= took_ms + MARGIN_MS + 1 < 5_000


def test_the_embedder_spends_from_the_deadline(own_house: House) -> None:
    class SlowEmbedder(WordEmbedder):
        def __call__(self, text: str, /) -> list[float]:
            time.sleep(0.2)
            return super().__call__(text)

    with own_house.client(embedder=SlowEmbedder()) as client:
        result = client.search("x", deadline_ms=1_000)
        assert result.deadline_ms == 1_000
        assert result.report["deadline_ms"] < 800
        assert result.embedding_ms >= 200
        # Nothing is left of it: each strategy is dropped, or the server could not even begin.
        try:
            late = client.search("y", deadline_ms=50)
        except errors.DeadlineExceeded:
            return
        assert late.strategies.contributed == ()


@pytest.mark.parametrize("profile", ["balanced", "thorough"])
def test_what_blocks_every_step_ends_as_deadline_exceeded(own_house: House, profile: str) -> None:
    """A lock on the table holds up the final read too, which no strategy can give up for."""
    with own_house.client(profile=profile) as client:
        client.search("warm")
        with psycopg.connect(own_house.dsn) as holder:
            holder.execute("lock table memhouse.knowledge in access exclusive mode")
            started = time.perf_counter()
            with pytest.raises(errors.DeadlineExceeded):
                client.search("blocked", deadline_ms=200)
            assert time.perf_counter() - started < 5
        client.search("free again")


AFTERWARDS = """
create or replace function memhouse.search_report(
    p_query text, p_embedding vector default null, p_profile text default null, p_limit integer default 12,
    p_as_of timestamptz default null, p_filters jsonb default '{}', p_deadline_ms integer default null, p_identity text default null
)
returns jsonb language plpgsql stable parallel unsafe security definer set search_path = pg_catalog, pg_temp
as $$
declare
    v_report jsonb := memhouse._report(memhouse._retrieve(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity));
begin
    perform pg_sleep(case when (v_report ->> 'deadline_ms')::integer > 50 then 10 else 0 end);
    return v_report;
end
$$
"""


# thorough keeps half of its time for reranking: the server's timers fire long before the deadline.
@pytest.mark.parametrize("profile", ["balanced", "thorough"])
@pytest.mark.parametrize("deadline_ms", [200, None])
def test_a_deadline_that_falls_on_the_way_back_is_an_answer_which_says_that_nothing_came(
    own_house: House, deadline_ms: int | None, profile: str
) -> None:
    with own_house.client(embedder=WordEmbedder(), deadline_ms=None, profile=profile) as client:
        client.remember("The billing job runs at night.", scope="acme", sensitivity="public")
        before = client.search("billing", deadline_ms=deadline_ms)
        own_house.execute(AFTERWARDS)
        result = client.search("billing", deadline_ms=deadline_ms)
        assert len(before) == 1 and len(result) == 0
        wanted = {item.name for item in before.strategies.contributed}
        assert {(item.name, item.reason_class) for item in result.strategies.dropped} >= {
            (name, "deadline") for name in wanted
        }
        assert result.strategies.contributed == ()
        assert (result.deadline_ms, result.profile_version) == (before.deadline_ms, before.profile_version)
        timeout_ms = result.deadline_ms // (2 if profile == "thorough" else 1) - MARGIN_MS - 1
        assert timeout_ms <= result.total_ms < 5_000
        # The connection is as good as before, and so is the one that a caller lends.
        assert client.posture().account_key == "acme"
        with psycopg.connect(own_house.as_user("app_writer")) as mine:
            mine.execute("set local statement_timeout = 77777")
            joined = Client(mine, credential=own_house.tokens["bot"])
            assert len(joined.search("billing", deadline_ms=200)) == 0
            assert mine.execute("show statement_timeout").fetchone() == ("77777ms",)


def test_a_default_deadline_of_the_client(house: House) -> None:
    with house.client(deadline_ms=700) as client:
        assert client.search("x").deadline_ms == 700
        assert client.search("x", deadline_ms=400).deadline_ms == 400


def test_without_one_the_profile_says(house: House) -> None:
    with house.client(deadline_ms=None) as client:
        for profile, deadline_ms in (("fast", 100), ("balanced", 300), ("thorough", 1500)):
            assert client.search("x", profile=profile).deadline_ms == deadline_ms


STUBBORN = """
create or replace function memhouse.strategy_lexical(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
    for i in 1..4 loop
        begin
            perform pg_sleep(1);
        exception when query_canceled then null;
        end;
    end loop;
end
$$
"""


def test_what_swallows_the_timeout_is_ended_by_the_backstop_where_there_is_one(
    server: Server, own_house: House
) -> None:
    """transaction_timeout, from PostgreSQL 17 on; before, the strategy ends in its own time and is reported as late."""
    with own_house.client() as client:
        client.search("warm")
        own_house.execute(STUBBORN)
        started = time.perf_counter()
        if server.version >= 17:
            # The server ends the session: the client sees its word, or only the connection gone.
            with pytest.raises((errors.DeadlineExceeded, errors.ConnectionFailed)):
                client.search("billing", deadline_ms=200)
            assert time.perf_counter() - started < 2.5
        else:
            client.search("billing", deadline_ms=200)
            assert time.perf_counter() - started > 2.5
        assert client.posture().account_key == "acme"
