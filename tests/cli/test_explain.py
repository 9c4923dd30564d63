"""memhouse explain: a search step by step."""

from __future__ import annotations

import json

from click.testing import CliRunner, Result

from memhouse_thin.cli import main
from support.house import House


def explain(house: House, *arguments: str) -> Result:
    environment = {"MEMHOUSE_DSN": house.as_user("app_reader"), "MEMHOUSE_CREDENTIAL": house.tokens["bot"]}
    return CliRunner().invoke(main, ["explain", "--no-embed", "--deadline-ms", "30000", *arguments], env=environment)


def test_a_table_for_people(house: House) -> None:
    result = explain(house, "when does billing run?", "--peer", "dana")
    assert result.exit_code == 0, result.output
    steps = [line.split()[0] for line in result.output.splitlines() if line.strip()]
    assert steps[:2] == ["step", "plan"]
    assert {"lexical", "semantic", "fusion", "page", "rerank"} <= set(steps)
    assert "dependency unavailable" in result.output


def test_json_for_programs(house: House) -> None:
    report = json.loads(explain(house, "billing", "--profile", "thorough", "--json").output)
    steps = {step["step"]: step for step in report["steps"]}
    assert report["profile"] == "thorough"
    assert steps["relation_expand"]["ms"] >= 0
    assert report["round_trip_ms"] >= report["elapsed_ms"] >= steps["lexical"]["ms"]


def test_errors_are_those_of_a_search(house: House) -> None:
    result = explain(house, "billing", "--profile", "fastest")
    assert (result.exit_code, "fastest" in result.output) == (6, True)
