"""explain_search tells of the search that a reader would get, and of nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from support.memory import Memory


def steps(memory: Memory, query: str, **named: object) -> dict[str, dict[str, Any]]:
    named = {"query": query, "deadline_ms": 30_000, **named}
    arguments = ", ".join(f"p_{name} => %({name})s" for name in named)
    report = memory.conn.execute(f"select memhouse.explain_search({arguments})", named).fetchone()[0]
    return {step["step"]: step for step in report["steps"]}


def furnish(memory: Memory) -> None:
    memory.write()
    memory.remember("The parser crashed in Lisbon.")
    memory.remember("The parser was mended.")
    memory.remember("The renderer is slow.")
    memory.remember("The parser belongs to bob.", sensitivity="restricted", subject_peer="bob")


def test_the_steps_are_those_of_the_search(memory: Memory) -> None:
    furnish(memory)
    memory.read()
    report, told = (
        memory.report("parser in Lisbon", profile="thorough"),
        steps(memory, "parser in Lisbon", profile="thorough"),
    )
    for outcome, items in report["strategies"].items():
        for item in items:
            step = told[item["name"]]
            assert (step["outcome"], step["reason_class"], step["candidates"]) == (
                outcome,
                item["reason_class"],
                item["candidates"],
            )
    assert told["page"]["candidates"] == len(report["candidates"]) == told["fusion"]["candidates"]
    assert all(step["ms"] >= 0 for step in told.values() if "ms" in step)


def test_rows_are_counted_among_what_the_reader_may_see(memory: Memory) -> None:
    furnish(memory)
    memory.read()
    assert steps(memory, "parser")["lexical"]["rows"] == 2
    memory.internal()
    assert steps(memory, "parser")["lexical"]["rows"] == 3


def test_vectors_say_how_they_were_scanned(memory: Memory) -> None:
    memory.call("select memhouse.register_embedding_identity('test', 'words', '1', 3)")
    memory.write()
    memory.remember("One.", embedding="[1,0,0]")
    memory.remember("Two.", embedding="[0,1,0]")
    memory.read()
    step = steps(memory, "one", embedding="[1,0,0]")["semantic"]
    assert (step["scan"], step["rows"]) == ("exact", 2)


def test_a_plain_reader_may_ask_and_must_have_begun(memory: Memory, fails: Callable[..., psycopg.Error]) -> None:
    fails("MH001", "select memhouse.explain_search('parser')")
    furnish(memory)
    memory.conn.execute("set local role memhouse_reader")
    memory.read()
    assert steps(memory, "parser")["lexical"]["outcome"] == "contributed"
    fails("MH008", "select memhouse.explain_search('parser', p_profile => 'fastest')")
    fails("MH010", "select memhouse.explain_search('parser', p_limit => 0)")
