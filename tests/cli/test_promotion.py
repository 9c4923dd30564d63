"""memhouse promotion, and memhouse scope link."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memhouse_thin.cli import main
from support.house import House

Run = Callable[..., Result]


@pytest.fixture
def run(own_house: House) -> Run:
    def invoke(*arguments: str, who: str = "bot") -> Result:
        environment = {"MEMHOUSE_DSN": own_house.dsn, "MEMHOUSE_CREDENTIAL": own_house.tokens[who]}
        return CliRunner().invoke(main, arguments, env=environment)

    return invoke


@pytest.fixture
def ok(run: Run) -> Callable[..., str]:
    def said(*arguments: str, who: str = "bot") -> str:
        result = run(*arguments, who=who)
        assert result.exit_code == 0, result.output
        return result.stdout

    return said


def about_dana(ok: Callable[..., str]) -> str:
    return ok(
        "remember", "Dana prefers tea.", "--scope", "acme", "--subject", "dana", "--sensitivity", "public", "--no-embed"
    ).strip()


def test_words_for_people(run: Run, ok: Callable[..., str]) -> None:
    assert ok("promotion", "list", who="dana") == "no promotions\n"
    id = about_dana(ok)
    assert ok("promotion", "propose", id, "scope") == "proposed for scope level: consent is due\n"
    assert ok("promotion", "list", who="dana") == f"{id}  proposed for scope level\n    about dana: Dana prefers tea.\n"
    assert ok("promotion", "consent", id, who="dana") == "promoted to scope level\n"
    withdrawn = ok("promotion", "decline", id, "--reason", "not at work", who="dana")
    assert withdrawn == "consent withdrawn: back at peer level\n"
    assert "declined for scope level\n    about dana: Dana prefers tea. (not at work)" in ok("promotion", "list")
    ok("promotion", "propose", id, "account")
    assert ok("promotion", "decline", id, who="dana") == "declined\n"
    scope = ok("remember", "The office is open.", "--scope", "acme", "--no-embed").strip()
    assert ok("promotion", "propose", scope, "account") == "promoted to account level\n"


def test_json_for_programs(own_house: House, ok: Callable[..., str]) -> None:
    def told(*arguments: str, who: str = "bot") -> Any:
        return json.loads(ok(*arguments, "--json", who=who))

    id = about_dana(ok)
    assert told("promotion", "propose", id, "scope") == {"id": id, "level": "scope", "state": "proposed"}
    (waiting,) = told("promotion", "list", who="dana")
    proposed_at = own_house.execute("select proposed_at from memhouse.promotion")[0][0]
    # Compared as an instant: the server leaves out zeros at the end of the fraction.
    assert datetime.fromisoformat(waiting.pop("proposed_at")) == proposed_at
    assert waiting == {
        "id": id, "statement": "Dana prefers tea.", "subject_peer": "dana", "target_level": "scope", "state": "proposed",
        "decided_at": None, "reason": None,
    }  # fmt: skip
    assert told("promotion", "consent", id, who="dana") == {"id": id, "level": "scope"}
    assert own_house.execute("select target_level::text from memhouse.knowledge") == [("scope",)]
    assert told("promotion", "decline", id, who="dana") == {"id": id, "state": "withdrawn"}
    assert own_house.execute("select target_level::text from memhouse.knowledge") == [("peer",)]


def test_exit_codes(run: Run, ok: Callable[..., str]) -> None:
    id = about_dana(ok)
    nobody = "00000000-0000-7000-8000-000000000000"
    assert run("promotion", "consent", id, who="reader").exit_code == 5
    assert run("promotion", "propose", id, "scope", who="reader").exit_code == 5
    assert run("promotion", "propose", nobody, "scope").exit_code == 6
    assert run("promotion", "consent", id, who="dana").exit_code == 7
    assert run("promotion", "propose", id, "peer").exit_code == 2
    assert run("promotion", "consent", "tea", who="dana").exit_code == 2


def test_scope_links(own_house: House, run: Run, ok: Callable[..., str]) -> None:
    def links() -> list[tuple]:
        return own_house.execute(
            """select f.scope_key, t.scope_key from memhouse.scope_link as l
               join memhouse.scope as f on f.scope_id = l.from_scope_id join memhouse.scope as t on t.scope_id = l.to_scope_id"""
        )

    ends = ("acme/billing", "acme/hr", "--account", "acme")
    assert ok("scope", "link", *ends) == "acme/billing linked to acme/hr\n"
    assert json.loads(ok("scope", "link", *ends, "--json")) == {"from": "acme/billing", "to": "acme/hr", "linked": True}
    assert links() == [("acme/billing", "acme/hr")]
    assert ok("scope", "unlink", *ends) == "acme/billing no longer linked to acme/hr\n"
    assert links() == []
    told = json.loads(ok("scope", "unlink", *ends, "--json"))
    assert told == {"from": "acme/billing", "to": "acme/hr", "removed": False}
    assert ok("scope", "unlink", *ends) == "acme/billing was not linked to acme/hr\n"
    assert run("scope", "link", "acme", "nowhere", "--account", "acme").exit_code == 6
    assert run("scope", "link", "acme", "acme", "--account", "acme").exit_code == 7
    assert run("scope", "link", "acme", "acme/hr", "--account", "nobody").exit_code == 6
