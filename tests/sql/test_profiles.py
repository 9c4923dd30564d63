"""Profiles: what is in force where, which version, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.memory import Memory


def lexical_weight(memory: Memory, scope: str | None, name: str | None = None) -> float:
    memory.read(scope)
    memory.conn.execute("select memhouse.profiles()")
    (row,) = [
        row
        for row in memory.conn.execute("select profile, strategies, is_default from memhouse.profiles()").fetchall()
        if (row[0] == name if name else row[2])
    ]
    return row[1].get("lexical", 0)


def test_the_nearest_profile_on_the_scope_path_wins(memory: Memory) -> None:
    memory.profile("balanced", '{"strategies": {"lexical": 2}}')
    memory.profile("balanced", '{"strategies": {"lexical": 3}}', scope="lab")
    memory.profile("balanced", '{"strategies": {"lexical": 4}}', scope="lab/b")
    assert lexical_weight(memory, None) == 2
    assert lexical_weight(memory, "lab") == 3
    assert lexical_weight(memory, "lab/a") == 3
    assert lexical_weight(memory, "lab/b") == 4


def test_a_profile_that_only_another_scope_has_cannot_be_named(memory: Memory, fails: Callable) -> None:
    memory.profile("special", "{}", scope="lab/b")
    memory.read("lab/b")
    assert memory.report("x", profile="special")["profile"] == "special"
    memory.read("lab/a")
    fails("MH008", "select memhouse.search('x', p_profile => 'special')")


def test_a_new_profile_takes_what_it_does_not_say_from_balanced(memory: Memory) -> None:
    memory.profile("mine", '{"deadline_ms": 77}')
    config = memory.call("select config from memhouse.profile_in_force('lab', null, 'mine')")
    balanced = memory.call("select config from memhouse.profile_in_force('lab', null, 'balanced')")
    assert config == {**balanced, "deadline_ms": 77}
    memory.read()
    assert memory.report("x", profile="mine", deadline_ms=None)["deadline_ms"] == 77


def test_the_default_profile_is_an_account_setting(memory: Memory) -> None:
    memory.read()
    assert memory.report("x")["profile"] == "balanced"
    memory.call("select memhouse.set_account_setting('lab', 'default_profile', '\"fast\"')")
    assert memory.report("x")["profile"] == "fast"


def test_a_default_profile_that_is_not_there_is_refused(memory: Memory, fails: Callable) -> None:
    fails("MH019", "select memhouse.set_account_setting('lab', 'default_profile', '\"nope\"')")
    fails("MH019", "select memhouse.create_account('other', '{\"default_profile\": \"nope\"}')")
    memory.profile("mine", "{}")
    memory.call("select memhouse.set_account_setting('lab', 'default_profile', '\"mine\"')")
    memory.read()
    assert memory.report("x")["profile"] == "mine"


def version(memory: Memory) -> str:
    memory.read()
    return memory.report("x")["profile_version"]


def test_profile_version_follows_the_content(memory: Memory) -> None:
    first = version(memory)
    assert memory.profile("balanced", '{"rrf_k": 20}') == 1
    second = version(memory)
    assert memory.profile("balanced", '{"rrf_k": 20}') == 1
    assert version(memory) == second
    assert memory.profile("balanced", '{"rrf_k": 21}') == 2
    assert len({first, second, version(memory)}) == 3


def test_profile_version_covers_the_query_prefix(memory: Memory) -> None:
    first = version(memory)
    memory.call("select memhouse.register_embedding_identity('t', 'm', '1', 3, 'query: ')")
    assert version(memory) != first


@pytest.mark.parametrize(
    "config",
    [
        '{"strategies": {"telepathy": 1}}',
        '{"strategies": {"lexical": -1}}',
        '{"strategies": {"lexical": "NaN"}}',
        '{"strategies": {"lexical": 0}}',
        '{"strategies": {}}',
        '{"strategies": []}',
        '{"deadline_ms": 0}',
        '{"deadline_ms": -5}',
        '{"deadline_ms": 1e9}',
        '{"deadline_ms": 1.5}',
        '{"rrf_k": -1}',
        '{"depth": 0}',
        '{"rerank_weight": 1.1}',
        '{"signals": {"recency": 0.6}}',
        '{"signals": {"mood": 0.1}}',
        '{"signals": 3}',
        '{"surprise": 1}',
        '{"feature": "other"}',
        "[]",
    ],
)
def test_a_profile_that_cannot_work_is_refused(fails: Callable, memory: Memory, config: str) -> None:
    fails("MH020", "select memhouse.set_profile('lab', null, 'balanced', %s)", config)


def test_the_allowlist_switches_a_strategy_off_whatever_a_profile_asks(memory: Memory, fails: Callable) -> None:
    memory.write()
    memory.remember("The kettle boils.")
    memory.call("select memhouse.set_strategy_enabled('lexical', false)")
    memory.read()
    report = memory.report("kettle")
    assert report["candidates"] == []
    assert {"lexical": "disabled"}.items() <= {
        item["name"]: item["reason_class"] for item in report["strategies"]["dropped"]
    }.items()
    fails("MH010", "select memhouse.set_strategy_enabled('telepathy', true)")


def test_only_server_side_work_may_override_strategies(memory: Memory, fails: Callable) -> None:
    memory.write()
    memory.remember("The kettle boils.")
    memory.internal()
    report = memory.call("select memhouse.search_report_with('{\"strategies\": {\"lexical\": 1}}', 'kettle')")
    assert [item["name"] for item in report["strategies"]["contributed"]] == ["lexical"]
    assert report["strategies"]["dropped"] == []
    memory.conn.execute("set local role app_reader")
    fails("42501", "select memhouse.search_report_with('{\"strategies\": {\"lexical\": 1}}', 'kettle')")


def test_signals_shade_the_order_within_their_bounds(memory: Memory) -> None:
    memory.profile(
        "plain",
        '{"strategies": {"lexical": 1}, "signals": {"recency": 0, "authority": 0, "provenance": 0, "status": 0}}',
    )
    memory.profile(
        "ruled",
        '{"strategies": {"lexical": 1}, "signals": {"recency": 0, "authority": 0.4, "provenance": 0.2, "status": 0}}',
    )
    memory.write()
    source = memory.call("select memhouse.observe('lab/a', 'seen')")
    memory.remember("Kettle rule.", kind="fact", sources=[source])
    memory.remember("Kettle rule?", kind="policy")
    memory.read()
    plain = memory.report("kettle rule", profile="plain")["candidates"]
    assert [hit["score"] for hit in plain] == [hit["fusion_score"] for hit in plain]
    ruled = {hit["kind"]: hit for hit in memory.report("kettle rule", profile="ruled")["candidates"]}
    assert list(ruled) == ["policy", "fact"]
    assert ruled["policy"]["score"] == pytest.approx(ruled["policy"]["fusion_score"] * 1.0 * (1 - 0.2 * 0.5))
    assert ruled["fact"]["score"] == pytest.approx(ruled["fact"]["fusion_score"] * (1 - 0.4 * 0.45) * (1 - 0.2 * 0.2))
    assert ruled["policy"]["score_breakdown"]["signals"] == {
        "recency": 1,
        "authority": 1,
        "provenance": 0.5,
        "status": 1,
    }


def test_a_page_cut_from_a_shaded_order_is_the_head_of_the_whole_order(memory: Memory) -> None:
    """Only candidates that could reach the page are read; the page must not depend on that."""
    memory.profile(
        "ruled",
        '{"strategies": {"lexical": 1}, "signals": {"recency": 0, "authority": 0.5, "provenance": 0, "status": 0}}',
    )
    memory.write()
    for number in range(30):
        kind = ("fact", "policy", "lesson", "decision")[number % 4]
        memory.remember(f"Kettle {'kettle ' * (number % 7)}and {number}.", kind=kind)
    memory.read()
    whole = memory.statements("kettle", profile="ruled", limit=100)
    assert len(whole) == 30
    for limit in (1, 3, 10):
        assert memory.statements("kettle", profile="ruled", limit=limit) == whole[:limit]
