"""Fusion as a function: its bounds, its monotonicity, its ties, whatever lists it is given."""

from __future__ import annotations

import random
import uuid

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

List = dict[uuid.UUID, float]
Lists = dict[str, List]

IDS = [uuid.UUID(int=number) for number in range(1, 9)]
SCORES = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))
LISTS = st.dictionaries(
    st.sampled_from(["lexical", "semantic", "temporal"]),
    st.dictionaries(st.sampled_from(IDS), SCORES, min_size=1, max_size=8),
    min_size=1,
)
WEIGHTS = {"lexical": 1.0, "semantic": 0.8, "temporal": 0.5}
relaxed = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def fuse(
    db: psycopg.Connection, lists: Lists, weights: dict[str, float] = WEIGHTS, k: int = 15
) -> dict[uuid.UUID, float]:
    """The parts of a read come in the order their strategies ran, each list best first."""
    parts = list(lists.items())
    random.Random(repr(parts)).shuffle(parts)
    rows = [(name, id, score) for name, scored in parts for id, score in ranked(scored)]
    found = db.execute(
        "select f.id, f.fusion_score from memhouse.fuse(("
        "select array_agg(row(row(l.s, 'contributed', null, 0, 0)::memhouse.outcome, l.list)::memhouse.part order by l.first)"
        " from (select s, min(n) as first, array_agg(row(s, i, c, null)::memhouse.listed_candidate order by n) as list"
        " from unnest(%s::text[], %s::uuid[], %s::float8[]) with ordinality as t (s, i, c, n) group by s) as l"
        "), %s, null) as f",
        (*(list(column) for column in zip(*rows, strict=True)), Jsonb({"strategies": weights, "rrf_k": k})),
    ).fetchall()
    return dict(found)


def ranked(scored: List) -> list[tuple[uuid.UUID, float]]:
    return sorted(scored.items(), key=lambda item: (-item[1], item[0]))


def by_hand(lists: Lists, weights: dict[str, float], k: int) -> dict[uuid.UUID, float]:
    """The formula of the design, written again."""
    scores: dict[uuid.UUID, float] = {}
    for name, scored in lists.items():
        low, high = min(scored.values()), max(scored.values())
        for place, (id, score) in enumerate(ranked(scored), 1):
            normalised = (score - low) / (high - low) if high > low else 1.0
            part = weights[name] * (0.95 * normalised + 0.05 * (k + 1) / (k + place))
            scores[id] = scores.get(id, 0.0) + part / sum(weights.values())
    return scores


@relaxed
@given(lists=LISTS, k=st.integers(0, 100))
def test_fusion_is_the_formula_of_the_design(db: psycopg.Connection, lists: Lists, k: int) -> None:
    found = fuse(db, lists, k=k)
    assert found == pytest.approx(by_hand(lists, WEIGHTS, k), abs=1e-9)
    assert all(0 <= score <= 1 + 1e-12 for score in found.values())


@relaxed
@given(lists=LISTS)
def test_order_is_by_score_then_id_whatever_the_order_of_the_lists(db: psycopg.Connection, lists: Lists) -> None:
    found = fuse(db, lists)
    turned = {name: dict(reversed(scored.items())) for name, scored in reversed(lists.items())}
    assert list(found.items()) == list(fuse(db, turned).items())
    assert list(found) == sorted(found, key=lambda id: (-found[id], id))


@relaxed
@given(lists=LISTS, data=st.data(), more=st.floats(0.001, 1e5))
def test_a_higher_raw_score_never_lowers_a_candidate(
    db: psycopg.Connection, lists: Lists, data: st.DataObject, more: float
) -> None:
    name = data.draw(st.sampled_from(sorted(lists)))
    id = data.draw(st.sampled_from(sorted(lists[name])))
    raised = {**lists, name: {**lists[name], id: lists[name][id] + more}}
    assert fuse(db, raised)[id] >= fuse(db, lists)[id] - 1e-9


@relaxed
@given(lists=LISTS, data=st.data())
def test_a_dropped_strategy_never_raises_a_score(db: psycopg.Connection, lists: Lists, data: st.DataObject) -> None:
    dropped = data.draw(st.sampled_from(sorted(lists)))
    left = {name: scored for name, scored in lists.items() if name != dropped}
    if left:
        whole = fuse(db, lists)
        assert all(score <= whole[id] + 1e-12 for id, score in fuse(db, left).items())


@pytest.mark.parametrize("scores", [[3.0], [2.5, 2.5, 2.5]])
def test_a_singleton_or_tied_list_is_normalised_to_one(db: psycopg.Connection, scores: list[float]) -> None:
    scored = dict(zip(IDS, scores, strict=False))
    found = fuse(db, {"lexical": scored}, {"lexical": 1.0})
    assert found == pytest.approx({id: 0.95 + 0.05 * 16 / (15 + place) for place, id in enumerate(scored, 1)})


def test_a_strategy_that_is_not_weighted_adds_nothing(db: psycopg.Connection) -> None:
    assert fuse(db, {"lexical": {IDS[0]: 1.0}, "temporal": {IDS[1]: 1.0}}, {"lexical": 1.0}).keys() == {IDS[0]}


@pytest.mark.parametrize(("value", "weight", "factor"), [(1, 0.3, 1), (0, 0.3, 0.7), (0.5, 0.2, 0.9), (0.2, 0, 1)])
def test_a_signal_is_a_factor_between_one_minus_its_weight_and_one(
    db: psycopg.Connection, value: float, weight: float, factor: float
) -> None:
    (found,) = db.execute("select memhouse.signal_factor(%s, %s)", (value, weight)).fetchone()
    assert found == pytest.approx(factor)


def test_no_candidates_fuse_to_no_rows(db: psycopg.Connection) -> None:
    assert (
        db.execute(
            "select * from memhouse.fuse('{}', %s, 10)", (Jsonb({"strategies": {"lexical": 1}, "rrf_k": 15}),)
        ).fetchall()
        == []
    )
