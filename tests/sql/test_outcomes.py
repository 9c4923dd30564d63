"""What a report says: outcomes, disagreement, filters, disclosure, and what bad input is answered with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.memory import Memory


def outcomes(report: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {
        item["name"]: (outcome, item["reason_class"])
        for outcome, items in report["strategies"].items()
        for item in items
    }


def test_every_strategy_of_the_profile_has_exactly_one_outcome(memory: Memory) -> None:
    memory.call("select memhouse.register_embedding_identity('test', 'three', '1', 3)")
    memory.write()
    memory.remember("The kettle boils.", embedding="[1,0,0]")
    memory.read()
    assert outcomes(memory.report("kettle", embedding="[1,0,0]", profile="thorough", as_of="2026-01-01")) == {
        "semantic": ("contributed", None),
        "lexical": ("contributed", None),
        "temporal": ("empty", None),
        "entity_match": ("empty", None),
        "relation_expand": ("empty", None),
        "salience_recency": ("not_applicable", "applicability"),
    }


def test_query_dependent_empty_is_every_reading_strategy_empty(memory: Memory) -> None:
    memory.write()
    memory.remember("The kettle boils.")
    memory.read()
    assert memory.report("zebra")["disagreement"]["query_dependent_empty"] is True
    assert memory.report("kettle")["disagreement"]["query_dependent_empty"] is False
    assert memory.report("")["disagreement"]["query_dependent_empty"] is False


def test_only_stop_words_find_nothing_and_say_so(memory: Memory) -> None:
    memory.write()
    memory.remember("The and of.")
    memory.read()
    report = memory.report("the and of")
    assert report["candidates"] == []
    assert outcomes(report)["lexical"] == ("empty", None)


def test_top_overlap_is_the_jaccard_overlap_of_the_first_ten(memory: Memory) -> None:
    memory.call("select memhouse.register_embedding_identity('test', 'three', '1', 3)")
    memory.write()
    memory.remember("The kettle boils.", embedding="[1,0,0]")
    memory.remember("Tea.", embedding="[0,1,0]")
    memory.remember("A kettle of fish.")
    memory.read()
    # semantic lists two, lexical lists two, one of them shared: 1 of 3.
    assert memory.report("kettle", embedding="[1,0,0]")["disagreement"]["top_overlap"] == pytest.approx(1 / 3, abs=1e-4)


@pytest.mark.parametrize("disclose", [False, True])
def test_authorization_filtered_is_told_only_where_the_account_discloses_it(memory: Memory, disclose: bool) -> None:
    memory.call(
        "select memhouse.set_account_setting('lab', 'disclose_authorization_filtered', %s::jsonb)",
        str(disclose).lower(),
    )
    memory.write()
    memory.remember("Bob hides a kettle.", subject_peer="bob", sensitivity="personal")
    memory.remember("Everybody sees the lamp.")
    memory.read()
    told = [{"stage": "candidate_filter", "reason_class": "authorization_filtered"}]
    assert memory.report("kettle")["retrieval_outcomes"] == (told if disclose else [])
    assert memory.report("zebra")["retrieval_outcomes"] == []
    assert memory.report("lamp kettle")["retrieval_outcomes"] == []


FILTERS = [
    ('{"kind": "lesson"}', {"L"}),
    ('{"kind": ["lesson", "policy"]}', {"L", "P"}),
    ('{"subject_peer": "ada"}', {"A"}),
    ('{"subject_peer": "nobody"}', set()),
    ('{"min_confidence": 0.6}', {"F", "P", "A", "S"}),
    ('{"recorded_after": "2000-01-01"}', {"F", "L", "P", "A", "S"}),
    ('{"recorded_before": "2000-01-01"}', set()),
    ('{"recorded_before": "infinity"}', {"F", "L", "P", "A", "S"}),
    ('{"source": "msg-1"}', {"S"}),
    ('{"source": "msg-2"}', set()),
    ('{"kind": null}', {"F", "L", "P", "A", "S"}),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters(memory: Memory, filters: str, expected: set[str]) -> None:
    memory.write()
    source = memory.call("select memhouse.observe('lab/a', 'seen', p_source_key => 'msg-1')")
    memory.call("select memhouse.observe('lab/a', 'unused', p_source_key => 'msg-2')")
    memory.remember("kettle F")
    memory.remember("kettle L", kind="lesson", confidence=0.5)
    memory.remember("kettle P", kind="policy")
    memory.remember("kettle A", subject_peer="ada")
    memory.remember("kettle S", sources=[source])
    memory.read()
    assert {statement[-1] for statement in memory.statements("kettle", filters=filters)} == expected


def test_a_filter_never_leaves_a_page_short(memory: Memory) -> None:
    """More better-ranked rows than a strategy proposes stand before the one the filter wants."""
    memory.profile("shallow", '{"strategies": {"lexical": 1}, "depth": 3}')
    memory.write()
    for number in range(20):
        memory.remember(f"kettle kettle kettle {number}")
    memory.remember("a kettle, lastly", kind="lesson")
    memory.read()
    assert memory.statements("kettle", profile="shallow", limit=1, filters='{"kind": "lesson"}') == ["a kettle, lastly"]


@pytest.mark.parametrize(
    "filters",
    [
        '{"colour": "red"}',
        '{"kind": "rumour"}',
        '{"kind": {}}',
        '{"min_confidence": 2}',
        '{"min_confidence": "NaN"}',
        '{"min_confidence": "high"}',
        '{"recorded_after": "yesterdayish"}',
        "[]",
        '"kind"',
        "3",
    ],
)
def test_filters_that_cannot_be_used_are_refused(memory: Memory, fails: Callable, filters: str) -> None:
    memory.read()
    fails("MH009", "select memhouse.search('x', p_filters => %s)", filters)


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("MH010", "'x', p_limit => 0"),
        ("MH010", "'x', p_limit => 101"),
        ("MH010", "'x', p_limit => null"),
        ("MH010", "'x', p_deadline_ms => 0"),
        ("MH010", "'x', p_deadline_ms => -1"),
        ("MH010", "'x', p_deadline_ms => 2000000000"),
        ("MH008", "'x', p_profile => 'nope'"),
        ("MH011", "repeat('x', 1000000)"),
        ("MH013", "'x', p_embedding => '[1,2,3]'"),
    ],
)
def test_bad_arguments_have_their_own_error(memory: Memory, fails: Callable, code: str, arguments: str) -> None:
    memory.read()
    fails(code, f"select memhouse.search({arguments})")
    fails(code, f"select memhouse.search_report({arguments})")


@pytest.mark.parametrize(
    "query", ["(((", "'", "\\", "a & | !", "\t\n", "'' OR 1=1 --", "<-> <->", '""', '"', "-", "é🦊", "or", " or "]
)
def test_odd_queries_are_answered(memory: Memory, query: str) -> None:
    memory.read()
    assert memory.report(query)["candidates"] == []


def test_null_query_is_a_blank_one(memory: Memory) -> None:
    memory.read()
    assert outcomes(memory.report(None))["lexical"] == ("not_applicable", "applicability")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("MH001", "select memhouse.search('x')"),
        ("MH001", "select memhouse.search_report('x')"),
        ("MH001", "select memhouse.profiles()"),
        ("MH001", "select memhouse.plan_search('x')"),
        ("MH003", "select memhouse.begin_read('mh_wrong')"),
        ("MH003", "select memhouse.begin_read(null)"),
    ],
)
def test_nothing_works_without_a_posture(memory: Memory, fails: Callable, code: str, call: str) -> None:
    fails(code, call)


def test_unknown_peer_and_scope(memory: Memory, fails: Callable) -> None:
    fails("MH006", "select memhouse.begin_read(%s, 'zoe')", memory.reader)
    fails("MH007", "select memhouse.begin_read(%s, null, 'lab/z')", memory.reader)


def test_a_failing_strategy_is_dropped_and_the_rest_answers(memory: Memory) -> None:
    memory.write()
    memory.remember("The kettle boils.", relevant_from="2026-01-01")
    memory.conn.execute(
        "create or replace function memhouse.strategy_temporal(p_request memhouse.request, p_limit integer)"
        " returns setof memhouse.candidate language plpgsql stable as $$ begin perform 1 / 0; end $$"
    )
    memory.read()
    report = memory.report("kettle", as_of="2026-02-01")
    assert outcomes(report)["temporal"] == ("dropped", "failed")
    assert [hit["statement"] for hit in report["candidates"]] == ["The kettle boils."]


def test_scores_compare_whether_or_not_a_strategy_was_dropped(memory: Memory) -> None:
    """The sum is divided by the weights of all configured strategies: 1 + 1 + 0.7 + 0.1."""
    memory.write()
    memory.remember("The kettle boils.")
    memory.read()
    (hit,) = memory.report("kettle")["candidates"]
    assert hit["fusion_score"] == pytest.approx(1 / 2.8)


@pytest.mark.parametrize("call", ["search('kettle')", "search_report('kettle')", "explain_search('kettle')"])
def test_a_search_is_done_once(memory: Memory, call: str) -> None:
    """Not once more by the planner, which computes a stable function for an estimate where it can."""
    memory.write()
    memory.remember("The kettle boils.")
    memory.read()
    memory.conn.execute("set local track_functions = 'all'")
    # More often than a generic plan takes to be chosen.
    for _ in range(8):
        memory.conn.execute(f"select * from memhouse.{call}")
    assert (
        memory.call(
            "select pg_stat_get_xact_function_calls('memhouse.strategy_lexical(memhouse.request, integer)'::regprocedure)"
        )
        == 8
    )
