"""A read over several connections: the plan is the server's, the parts are its own, the answer is the same."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from support.memory import Memory

QUESTION = {"query": "the kettle of Dana Reyes", "embedding": "[1,0.5,0]", "profile": "thorough", "as_of": "2026-01-02"}


@pytest.fixture
def furnished(memory: Memory) -> Memory:
    memory.call("select memhouse.register_embedding_identity('test', 'three', '1', 3)")
    draw = random.Random(5)
    memory.write()
    ids = []
    for number in range(60):
        words = draw.sample(["kettle", "lamp", "anchor", "zeppelin", "tea", "of Dana Reyes", "of Lee Park"], 3)
        vector = str([draw.uniform(-1, 1) for _ in range(3)])
        dated = {"relevant_from": f"2026-01-{draw.randint(1, 28):02}"} if number % 3 else {}
        kind = draw.choice(["fact", "lesson", "policy"])
        ids.append(memory.remember(f"Row {number}: {' '.join(words)}.", embedding=vector, kind=kind, **dated))
    for _ in range(30):
        one, other = draw.sample(ids, 2)
        memory.conn.execute("select memhouse.relate(%s, %s, 'supports')", (one, other))
    memory.internal()
    memory.call("select memhouse.rebuild_entities()")
    memory.read()
    return memory


def plan(memory: Memory, **named: object) -> dict[str, Any]:
    named = {"deadline_ms": 30_000, **QUESTION, **named}
    arguments = ", ".join(f"p_{name} => %({name})s" for name in named)
    return memory.conn.execute(f"select memhouse.plan_search({arguments})", named).fetchone()[0]


def part(memory: Memory, plan: str, strategy: str) -> str:
    return memory.call("select memhouse.run_search_part(%s, %s)", plan, strategy)


def run(memory: Memory, **named: object) -> dict[str, Any]:
    planned = plan(memory, **named)
    parts = [part(memory, planned["plan"], strategy) for strategy in planned["parallel"]]
    random.Random(1).shuffle(parts)
    return memory.call("select memhouse.finish_search(%s, %s)", planned["plan"], parts)


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what the clock alone decides; scores that fall with age, by the millisecond, are compared with a tolerance."""
    report = json.loads(json.dumps(report), parse_float=lambda number: pytest.approx(float(number), abs=1e-4))
    strategies = {outcome: [{**item, "ms": None} for item in items] for outcome, items in report["strategies"].items()}
    return {**report, "strategies": strategies, "elapsed_ms": None, "rerank": {**report["rerank"], "ms": None}}


@pytest.mark.parametrize("profile", ["fast", "balanced", "thorough"])
@pytest.mark.parametrize("query", [QUESTION["query"], "", "zebra", '"kettle lamp"'])
def test_the_answer_is_that_of_one_connection(furnished: Memory, profile: str, query: str) -> None:
    serial = furnished.report(**{**QUESTION, "profile": profile, "query": query})
    assert timeless(run(furnished, profile=profile, query=query)) == timeless(serial)


def test_a_part_that_did_not_come_is_a_timeout(furnished: Memory) -> None:
    planned = plan(furnished, profile="balanced")
    lexical = part(furnished, planned["plan"], "lexical")
    report = furnished.call("select memhouse.finish_search(%s, %s)", planned["plan"], [lexical, None])
    assert {(item["name"], item["reason_class"]) for item in report["strategies"]["dropped"]} == {
        ("semantic", "timeout"),
        ("entity_match", "timeout"),
        ("temporal", "timeout"),
    }
    assert [item["name"] for item in report["strategies"]["contributed"]] == ["lexical"]


def test_a_caller_cannot_choose_or_change_what_runs(furnished: Memory, fails: Callable) -> None:
    sealed = plan(furnished, profile="fast")["plan"]
    other = plan(furnished, profile="balanced")["plan"]
    signature, _, body = sealed.partition(".")
    changed = base64.b64encode(base64.b64decode(body).replace(b"fast", b"fost")).decode()
    assert changed != body
    fails("MH010", "select memhouse.run_search_part(%s, 'lexical')", sealed)
    fails("MH002", "select memhouse.run_search_part(%s, 'lexical')", f"{signature}.{other.partition('.')[2]}")
    fails("MH002", "select memhouse.run_search_part(%s, 'semantic')", f"{signature}.{changed}")
    fails("MH002", "select memhouse.run_search_part(%s, 'semantic')", body)
    fails("MH002", "select memhouse.run_search_part(%s, 'semantic')", "99:ab." + body)
    fails("MH002", "select memhouse.run_search_part(%s, 'semantic')", "")
    fails("MH002", "select memhouse.run_search_part(null, 'semantic')")


def test_parts_are_taken_back_only_as_they_were_made_and_for_their_plan(furnished: Memory, fails: Callable) -> None:
    sealed = plan(furnished, profile="balanced")["plan"]
    other = plan(furnished, profile="balanced", query="something else")["plan"]
    made = part(furnished, sealed, "lexical")
    fails("MH002", "select memhouse.finish_search(%s, %s)", sealed, [made + " "])
    fails("MH002", "select memhouse.finish_search(%s, %s)", sealed, [part(furnished, other, "lexical")])
    fails("MH002", "select memhouse.finish_search(%s, %s)", sealed, [other])
    fails("MH002", "select memhouse.finish_search(%s, %s)", made, [made])
    fails("MH002", "select memhouse.run_search_part(%s, 'lexical')", made)
    thorough = plan(furnished, profile="thorough")["plan"]
    fails("MH010", "select memhouse.run_search_part(%s, 'relation_expand')", thorough)


def test_a_plan_is_of_one_posture_only(furnished: Memory, fails: Callable) -> None:
    sealed = plan(furnished, profile="balanced")["plan"]
    furnished.read(peer="bob")
    fails("MH002", "select memhouse.run_search_part(%s, 'lexical')", sealed)
    fails("MH002", "select memhouse.finish_search(%s, '{}')", sealed)
    furnished.read()
    assert part(furnished, sealed, "lexical")


def test_a_plan_works_on_another_connection_in_the_same_snapshot(fresh_database: str) -> None:
    with psycopg.connect(fresh_database, autocommit=True) as admin:
        admin.execute("select memhouse.create_account('lab'), memhouse.create_scope('lab', 'lab')")
        (token,) = admin.execute("select memhouse.create_credential('lab', 'r')").fetchone()
        admin.execute("select memhouse.grant_scope('lab', 'r', 'lab', 'member')")
        with admin.transaction():
            admin.execute("select memhouse.begin_write(%s)", (token,))
            admin.execute("select memhouse.remember('lab', 'The kettle boils.', p_sensitivity => 'public')")
    with psycopg.connect(fresh_database) as one, psycopg.connect(fresh_database) as two:
        for conn in (one, two):
            conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        (snapshot,) = one.execute("select pg_export_snapshot()").fetchone()
        one.execute("select memhouse.begin_read(%s)", (token,))
        (planned,) = one.execute("select memhouse.plan_search('kettle')").fetchone()
        two.execute(f"set transaction snapshot '{snapshot}'")
        two.execute("select memhouse.begin_read(%s)", (token,))
        (made,) = two.execute("select memhouse.run_search_part(%s, 'lexical')", (planned["plan"],)).fetchone()
        (report,) = one.execute("select memhouse.finish_search(%s, %s)", (planned["plan"], [made])).fetchone()
    assert [hit["statement"] for hit in report["candidates"]] == ["The kettle boils."]
