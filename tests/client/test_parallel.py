"""A parallel read: the answer of a serial one, on several connections, and serially when they are not to be had."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from memhouse_thin import AsyncClient, Client, errors
from memhouse_thin.results import SearchResult
from support.house import House, WordEmbedder

STATEMENTS = [
    "The billing job runs at night.",
    "Dana Reyes looks after the billing job.",
    "The night shift ends at six.",
    "Invoices go out on Monday, says Dana Reyes.",
]


@pytest.fixture(scope="module")
def pool(house: House) -> Iterator[ConnectionPool]:
    with house.client() as client:
        for statement in STATEMENTS:
            client.remember(statement, scope="acme", sensitivity="public", source_key=statement)
    with ConnectionPool(house.as_user("app_writer"), min_size=6, max_size=6) as pool:
        pool.wait()
        yield pool


def client(pool: ConnectionPool | AsyncConnectionPool, house: House, fan_out: str, kind: type = Client) -> Any:
    return kind(
        pool,
        credential=house.tokens["bot"],
        embedder=WordEmbedder(),
        fan_out=fan_out,
        fan_out_wait_ms=2_000,
        deadline_ms=30_000,
    )


def timeless(result: SearchResult) -> dict[str, Any]:
    """A report without what the clock alone decides; scores that fall with age differ by the milliseconds between two reads."""
    report = json.loads(json.dumps(result.report), parse_float=lambda number: pytest.approx(float(number), abs=1e-4))
    for outcomes in report["strategies"].values():
        for outcome in outcomes:
            outcome["ms"] = None
    # The deadline is what is left of it when it reaches the server.
    return {**report, "elapsed_ms": None, "deadline_ms": None, "rerank": {**report["rerank"], "ms": None}}


@pytest.mark.parametrize("profile", ["fast", "balanced", "thorough"])
@pytest.mark.parametrize("query", ["who looks after the billing job?", "Dana Reyes or night", "zebra", ""])
def test_parallel_answers_as_serial_does(house: House, pool: ConnectionPool, profile: str, query: str) -> None:
    arguments = {"profile": profile, "as_of": "2026-01-01T00:00:00Z"}
    parallel = client(pool, house, "parallel").search(query, **arguments)
    assert timeless(parallel) == timeless(client(pool, house, "serial").search(query, **arguments))
    assert parallel.reader.account_key == "acme"


def test_async_parallel_answers_alike(house: House, pool: ConnectionPool) -> None:
    async def ask() -> SearchResult:
        async with AsyncConnectionPool(house.as_user("app_writer"), min_size=5, max_size=5, open=False) as many:
            await many.wait()
            return await client(many, house, "parallel", AsyncClient).search("who looks after the billing job?")

    serial = client(pool, house, "serial").search("who looks after the billing job?")
    assert timeless(asyncio.run(ask())) == timeless(serial)


def sessions(house: House) -> set[int]:
    return {pid for (pid,) in house.execute("select pid from pg_stat_activity where usename = 'app_writer'")}


def test_each_strategy_has_a_connection_of_its_own(own_house: House) -> None:
    """Two strategies that each sleep 0.4 s are done in one sleep, not two."""
    sleepy = (
        "create or replace function memhouse.strategy_{}(p_request memhouse.request, p_limit integer)"
        " returns setof memhouse.candidate language plpgsql stable security definer set search_path = pg_catalog, pg_temp"
        " as $$ begin perform pg_sleep(1); return query select null::uuid, 1.0::float8, jsonb_build_object('pid', pg_backend_pid())"
        " where false; end $$"
    )
    for strategy in ("lexical", "semantic", "entity_match"):
        own_house.execute(sleepy.format(strategy))
    with ConnectionPool(own_house.as_user("app_writer"), min_size=4, max_size=4) as pool:
        pool.wait()
        memory = client(pool, own_house, "parallel")
        started = time.perf_counter()
        result = memory.search("billing")
        assert time.perf_counter() - started < 2.9
        assert {item.name for item in result.strategies.empty} == {"lexical", "semantic", "entity_match"}


def test_without_enough_connections_the_read_goes_serially(house: House, pool: ConnectionPool) -> None:
    with ConnectionPool(house.as_user("app_writer"), min_size=2, max_size=2) as small:
        small.wait()
        memory = Client(
            small,
            credential=house.tokens["bot"],
            embedder=WordEmbedder(),
            fan_out="parallel",
            fan_out_wait_ms=30,
            deadline_ms=30_000,
        )
        result = memory.search("billing job")
        assert timeless(result) == timeless(client(pool, house, "serial").search("billing job"))
        # Both connections are back, idle and fit for use.
        with small.connection() as one, small.connection() as other:
            assert one.execute("select 1").fetchone() == other.execute("select 1").fetchone() == (1,)


def test_a_late_strategy_is_dropped_and_its_connection_survives(
    own_house: House, slow_lexical: Callable[[House], None]
) -> None:
    with own_house.client() as writer:
        writer.remember(
            "The billing job runs at night.", scope="acme", sensitivity="public", embedding=WordEmbedder()("billing")
        )
    slow_lexical(own_house)
    with ConnectionPool(own_house.as_user("app_writer"), min_size=4, max_size=4) as pool:
        pool.wait()
        memory = client(pool, own_house, "parallel")
        for _ in range(5):
            started = time.perf_counter()
            result = memory.search("billing", deadline_ms=400)
            assert 0.3 < time.perf_counter() - started < 5
            assert [(item.name, item.reason_class) for item in result.strategies.dropped] == [("lexical", "timeout")]
            assert [item.name for item in result.strategies.contributed] == ["semantic"]


@pytest.mark.parametrize("strategy", ["lexical", "semantic"])
def test_a_part_that_its_function_could_not_end_in_time_costs_only_that_part(own_house: House, strategy: str) -> None:
    """Of the first connection, whose snapshot the answer needs, and of another."""
    with own_house.client() as writer:
        writer.remember(
            "The billing job runs at night.", scope="acme", sensitivity="public", embedding=WordEmbedder()("billing")
        )
    ((definition,),) = own_house.execute(
        "select pg_get_functiondef('memhouse.run_search_part(text, text)'::regprocedure)"
    )
    late = f"perform pg_sleep(10) where p_strategy = '{strategy}';"
    own_house.execute(definition.replace("    return memhouse._sealed(", f"    {late}\n    return memhouse._sealed("))
    with ConnectionPool(own_house.as_user("app_writer"), min_size=3, max_size=3) as pool:
        pool.wait()
        memory = client(pool, own_house, "parallel")
        for _ in range(3):
            result = memory.search("billing", deadline_ms=400)
            assert [(item.name, item.reason_class) for item in result.strategies.dropped] == [(strategy, "timeout")]
            assert [item.name for item in result.strategies.contributed] == list({"lexical", "semantic"} - {strategy})
            assert len(result) == 1
        # All connections are back, idle and fit for use.
        with pool.connection(1) as one, pool.connection(1) as two, pool.connection(1) as three:
            assert [conn.execute("select 1").fetchone() for conn in (one, two, three)] == [(1,)] * 3


def test_a_deadline_of_a_few_milliseconds_is_an_answer_or_that_error_and_costs_no_connection(
    house: House, pool: ConnectionPool
) -> None:
    memory = client(pool, house, "parallel")
    for number in range(60):
        with contextlib.suppress(errors.DeadlineExceeded):
            memory.search("who looks after the billing job?", deadline_ms=2 + number % 18)
    assert pool.get_stats()["pool_available"] == pool.max_size
    assert len(memory.search("billing")) > 0


def test_an_awaited_read_that_ends_before_its_parts_began_gives_every_connection_back(house: House) -> None:
    class Stopped(AsyncClient):
        async def _run_own_part(self, *_: Any) -> None:
            raise RuntimeError("stopped")

    async def ask() -> None:
        async with AsyncConnectionPool(house.as_user("app_writer"), min_size=4, max_size=4, open=False) as many:
            await many.wait()
            for _ in range(3):
                with pytest.raises(errors.MemhouseError):
                    await client(many, house, "parallel", Stopped).search("who looks after the billing job?")
            # What was cancelled at work is closed, and the pool makes another in its own time.
            until = time.monotonic() + 10
            while many.get_stats()["pool_available"] < 4 and time.monotonic() < until:
                await asyncio.sleep(0.02)
            assert many.get_stats()["pool_available"] == 4

    asyncio.run(ask())


def test_errors_are_those_of_a_serial_read(house: House, pool: ConnectionPool) -> None:
    memory = client(pool, house, "parallel")
    for _ in range(3):
        with pytest.raises(errors.ProfileUnknown):
            memory.search("x", profile="nope")
        with pytest.raises(errors.ScopeUnknown):
            memory.search("x", scope="nope")
        with pytest.raises(errors.ArgumentInvalid):
            memory.search("x", limit=0)
    assert len(memory.search("billing")) > 0


def test_many_threads_share_a_small_pool_without_deadlock(house: House, pool: ConnectionPool) -> None:
    memory = Client(
        pool, credential=house.tokens["bot"], embedder=WordEmbedder(), fan_out="parallel", deadline_ms=30_000
    )
    found: list[int] = []

    def work() -> None:
        for _ in range(5):
            found.append(len(memory.search("billing job night")))

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [len(memory.search("billing job night"))] * 40


def test_parallel_needs_a_pool(house: House) -> None:
    with pytest.raises(errors.ArgumentInvalid, match="needs a pool"):
        Client(house.dsn, fan_out="parallel")
    with pytest.raises(errors.ArgumentInvalid):
        Client(house.dsn, fan_out="sideways")  # type: ignore[arg-type]


def test_a_writer_that_commits_in_between_is_not_half_seen(own_house: House) -> None:
    """All parts read the snapshot of the first connection."""
    stop = threading.Event()

    def write() -> None:
        with own_house.client() as writer:
            number = 0
            while not stop.is_set():
                number += 1
                writer.remember(
                    f"billing pair {number}",
                    scope="acme",
                    sensitivity="public",
                    embedding=WordEmbedder()("billing pair"),
                )

    with ConnectionPool(own_house.as_user("app_writer"), min_size=4, max_size=4) as pool:
        pool.wait()
        thread = threading.Thread(target=write)
        thread.start()
        try:
            memory = client(pool, own_house, "parallel")
            for _ in range(15):
                counts = {
                    item.name: item.candidates
                    for item in memory.search("billing pair", limit=100).strategies.contributed
                }
                # Every statement has the words and a vector: in one snapshot both strategies see as many.
                assert counts.get("lexical") == counts.get("semantic")
        except psycopg.Error:
            raise
        finally:
            stop.set()
            thread.join()
