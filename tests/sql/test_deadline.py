"""The deadline holds in the server, whatever a strategy hangs on; a person's cancel stays a cancel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from support.memory import Memory

HANGS = {
    "sleep": "perform pg_sleep(20)",
    "sort": "perform count(*) from (select g from generate_series(1, 200000000) as g order by md5(g::text)) as s",
    "loop": "loop perform 1; end loop",
}
# Others use this machine while the tests run: this bound only tells a deadline that holds from one that does not.
PATIENCE_S = 5


def hang(memory: Memory, strategy: str, body: str) -> None:
    memory.conn.execute(
        f"create or replace function memhouse.strategy_{strategy}(p_request memhouse.request, p_limit integer)"
        " returns setof memhouse.candidate language plpgsql stable security definer set search_path = pg_catalog, pg_temp"
        f" as $$ begin {body}; end $$"
    )


def outcomes(report: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {
        item["name"]: (outcome, item["reason_class"])
        for outcome, items in report["strategies"].items()
        for item in items
    }


@pytest.mark.parametrize("body", HANGS.values(), ids=HANGS)
def test_a_hung_strategy_is_dropped_and_the_others_answer(memory: Memory, body: str) -> None:
    memory.write()
    memory.remember("The kettle boils.", relevant_from="2026-01-01")
    hang(memory, "temporal", body)
    memory.read()
    memory.conn.execute("set local statement_timeout = 150")
    started = time.perf_counter()
    report = memory.report("kettle", deadline_ms=150, as_of="2026-01-02")
    took = time.perf_counter() - started
    assert 0.15 <= took < PATIENCE_S
    # temporal is heavier than entity_match, so entity_match comes after it and finds no time left.
    assert outcomes(report) == {
        "semantic": ("dropped", "dependency_unavailable"),
        "lexical": ("contributed", None),
        "temporal": ("dropped", "timeout"),
        "entity_match": ("dropped", "deadline"),
    }
    assert [hit["statement"] for hit in report["candidates"]] == ["The kettle boils."]


def test_the_transaction_goes_on_after_a_dropped_strategy(memory: Memory) -> None:
    memory.write()
    memory.remember("The kettle boils.")
    hang(memory, "entity_match", HANGS["sleep"])
    memory.read()
    for _ in range(3):
        memory.conn.execute("set local statement_timeout = 60")
        assert outcomes(memory.report("kettle", deadline_ms=60))["entity_match"] == ("dropped", "timeout")
    memory.conn.execute("set local statement_timeout = 0")
    assert memory.call("select count(*) from memhouse.knowledge") == 1


def test_a_cancel_before_the_deadline_is_a_cancel(memory: Memory) -> None:
    hang(memory, "lexical", HANGS["sleep"])
    memory.read()
    timer = threading.Timer(0.3, memory.conn.cancel)
    timer.start()
    with pytest.raises(psycopg.errors.QueryCanceled):
        memory.report("kettle", deadline_ms=30_000)
    timer.join()


def test_a_strategy_that_waits_for_a_lock_is_dropped(memory: Memory) -> None:
    hang(memory, "entity_match", "perform pg_advisory_xact_lock_shared(815)")
    memory.read()
    memory.conn.execute("set local statement_timeout = 150")
    with psycopg.connect(memory.conn.info.dsn) as holder:
        holder.execute("select pg_advisory_xact_lock(815)")
        report = memory.report("kettle", deadline_ms=150)
    assert outcomes(report)["entity_match"] == ("dropped", "timeout")


def slow_down(memory: Memory, function: str, by: str) -> None:
    """Make a function of the read do something else first."""
    body = memory.call("select pg_get_functiondef(('memhouse.' || %s)::regprocedure)", function)
    assert "\nbegin\n" in body
    memory.conn.execute(body.replace("\nbegin\n", f"\nbegin\n    {by};\n"))


@pytest.mark.parametrize("function", ["_judge_once(memhouse.search_plan)", "analyze_query(text)"])
def test_a_deadline_before_the_first_strategy_is_an_answer_that_says_so(memory: Memory, function: str) -> None:
    memory.write()
    memory.remember("The kettle boils.")
    # Slow until the deadline has passed, as on a machine without a core to spare.
    slow_down(
        memory, function, "perform pg_sleep(1) where clock_timestamp() < statement_timestamp() + interval '95 ms'"
    )
    memory.read()
    memory.conn.execute("set local statement_timeout = 100")
    started = time.perf_counter()
    report = memory.report("kettle", deadline_ms=100)
    assert 0.1 <= time.perf_counter() - started < 1
    assert outcomes(report) == {
        "semantic": ("dropped", "dependency_unavailable"),
        "temporal": ("not_applicable", "applicability"),
        "lexical": ("dropped", "deadline"),
        "entity_match": ("dropped", "deadline"),
    }
    assert report["candidates"] == []


def fails_at_the_deadline_while_locked(memory: Memory) -> None:
    """A search with a deadline of 100 ms while another session holds the lock that slow_down waits for."""
    with psycopg.connect(memory.conn.info.dsn) as holder:
        holder.execute("select pg_advisory_xact_lock(815)")
        started = time.perf_counter()
        with pytest.raises(psycopg.errors.LockNotAvailable), memory.conn.transaction():
            memory.report("kettle", deadline_ms=100)
        assert 0.1 <= time.perf_counter() - started < 1


def test_a_lock_before_the_first_strategy_is_not_waited_for_beyond_the_deadline(memory: Memory) -> None:
    slow_down(memory, "analyze_query(text)", "perform pg_advisory_xact_lock_shared(815)")
    memory.read()
    memory.conn.execute("set local statement_timeout = 100")
    fails_at_the_deadline_while_locked(memory)


@pytest.mark.parametrize("function", ["_applicable(text, memhouse.request)", "_strategies_of(jsonb)"])
def test_a_lock_after_the_deadline_is_not_waited_for(memory: Memory, function: str) -> None:
    slow_down(memory, "_judge_once(memhouse.search_plan)", "perform pg_sleep(1)")
    slow_down(
        memory,
        function,
        "perform pg_advisory_xact_lock_shared(815) where clock_timestamp() > statement_timestamp() + interval '90 ms'",
    )
    memory.read()
    memory.conn.execute("set local statement_timeout = 100")
    memory.conn.execute("set local lock_timeout = '7s'")
    fails_at_the_deadline_while_locked(memory)
    assert memory.call("show lock_timeout") == "7s"


def begin_search(memory: Memory, **named: object) -> tuple[int, int]:
    """The deadline and the timeout of a read that a credential begins."""
    arguments = "".join(f", {name} => %s" for name in named)
    query = f"select deadline_ms, timeout_ms from memhouse.begin_search(%s{arguments})"
    return memory.conn.execute(query, (memory.reader, *named.values())).fetchone()


@pytest.mark.parametrize(
    ("asked", "deadline_ms", "timeout_ms"),
    [
        ({}, 300, 300),
        ({"p_profile": "fast"}, 100, 100),
        ({"p_profile": "thorough"}, 1500, 750),
        ({"p_profile": "thorough", "p_spent_ms": 100}, 1400, 700),
        ({"p_spent_ms": 40}, 260, 260),
        ({"p_deadline_ms": 170, "p_spent_ms": 40}, 170, 170),
    ],
)
def test_begin_search_bounds_what_follows_by_the_deadline(
    memory: Memory, asked: dict[str, object], deadline_ms: int, timeout_ms: int
) -> None:
    assert begin_search(memory, **asked) == (deadline_ms, timeout_ms)
    names = ("statement_timeout", "lock_timeout")
    settings = memory.conn.execute("select " + ", ".join(f"current_setting('{name}')" for name in names)).fetchone()
    assert settings == (f"{timeout_ms}ms", f"{timeout_ms}ms")


def test_a_deadline_that_was_spent_is_a_millisecond(memory: Memory) -> None:
    assert begin_search(memory, p_spent_ms=4_000) == (1, 1)


def test_a_search_has_the_deadline_it_was_begun_with_and_the_next_reader_has_not(memory: Memory) -> None:
    begin_search(memory, p_deadline_ms=20_000)
    assert memory.report("kettle", deadline_ms=None)["deadline_ms"] == 20_000
    assert memory.report("kettle", deadline_ms=700)["deadline_ms"] == 700
    memory.read()
    assert memory.report("kettle", deadline_ms=None)["deadline_ms"] == 300


@pytest.mark.parametrize("forged", ["abc", "1.5", "-3", "99999999999", " "])
def test_what_is_written_over_the_deadline_by_hand_counts_for_nothing(memory: Memory, forged: str) -> None:
    memory.read()
    memory.conn.execute("select set_config('memhouse.deadline_ms', %s, true)", (forged,))
    assert memory.report("kettle", deadline_ms=None)["deadline_ms"] == 300


def test_a_limit_lowered_since_bounds_a_profile_that_nobody_changed(memory: Memory) -> None:
    memory.call("select memhouse.set_server_setting('max_deadline_ms', '500')")
    assert begin_search(memory, p_profile="thorough") == (500, 250)
    assert memory.report("kettle", profile="thorough", deadline_ms=None)["deadline_ms"] == 500


def test_begin_search_refuses_what_is_no_deadline_or_profile(memory: Memory, fails: Callable) -> None:
    for deadline_ms in (0, -1, 10_000_000):
        fails("MH010", "select memhouse.begin_search(%s, p_deadline_ms => %s)", memory.reader, deadline_ms)
    for spent_ms in (None, -1, -(2**31)):
        fails("MH010", "select memhouse.begin_search(%s, p_spent_ms => %s)", memory.reader, spent_ms)
    fails("MH008", "select memhouse.begin_search(%s, p_profile => 'nope')", memory.reader)
    fails("MH003", "select memhouse.begin_search('mh_none')")
    fails("MH007", "select memhouse.begin_search(%s, p_scope => 'nope')", memory.reader)


def test_rerank_time_is_reserved_before_the_strategies_start(memory: Memory) -> None:
    hang(memory, "entity_match", HANGS["sleep"])
    memory.read()
    begin_search(memory, p_profile="thorough", p_deadline_ms=400)
    assert memory.call("show statement_timeout") == "200ms"  # never more than half is reserved
    report = memory.report("kettle", profile="thorough", deadline_ms=None)
    assert (report["deadline_ms"], report["reserved_rerank_ms"]) == (400, 200)
    assert outcomes(report)["entity_match"] == ("dropped", "timeout")


def test_what_the_caller_had_set_is_as_it_was(memory: Memory) -> None:
    memory.read()
    memory.conn.execute("set local lock_timeout = '7s'")
    memory.report("kettle")
    assert memory.call("show lock_timeout") == "7s"
