"""memhouse policies and explain-admission, and the functions behind them: one definition of admission, not two."""

from __future__ import annotations

import json
from collections.abc import Callable

import psycopg
import pytest
from click.testing import CliRunner, Result

from memhouse_thin.cli import main
from support.fortress import Fortress

Run = Callable[..., Result]


@pytest.fixture
def run(fortress: Fortress) -> Run:
    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(main, [*arguments, "--dsn", fortress.dsn("postgres")])

    return invoke


def test_the_conditions_come_to_the_verdict(fortress: Fortress) -> None:
    """For every row and every kind of caller; and the verdict is what the caller sees."""
    conditions = ("scope", "clearance", "lifecycle", "expiry", "reader")
    with fortress.admin() as admin:
        for name, peer in (("weak", None), ("weak", "noa"), ("low", None), ("boss", None), ("writer", "noa")):
            token = fortress.tokens[name]
            with admin.transaction():
                admin.execute("select from memhouse.begin_read(%s::text, %s::text)", (token, peer))
                admin.execute("set local role app_analyst")
                seen = {row[0] for row in admin.execute("select knowledge_id from memhouse.knowledge")}
                seen |= {row[0] for row in admin.execute("select observation_id from memhouse.observation")}
                admin.execute("reset role")
            explained: dict[object, dict[str, bool]] = {}
            for id, condition, holds in admin.execute(
                """select r.id, e.condition, e.holds
                   from (select knowledge_id as id, account_id from memhouse.knowledge
                         union all select observation_id, account_id from memhouse.observation) as r
                   join memhouse.account as a on a.account_id = r.account_id and a.account_key = 'acme'
                   cross join lateral memhouse.explain_admission('acme', %s, r.id, %s) as e""",
                (name, peer),
            ):
                explained.setdefault(id, {})[condition] = holds
            assert len(explained) > 150
            for id, holds in explained.items():
                assert holds["admitted"] == all(holds[condition] for condition in conditions)
                assert holds["credential"] and holds["admitted"] == (id in seen)


def test_effective_access_is_what_is_seen(fortress: Fortress) -> None:
    with fortress.admin() as admin:
        rows = admin.execute(
            "select scope, role, about_others, about_reader, shared from memhouse.effective_access('acme', 'weak')"
        ).fetchall()
        assert rows == [
            ("open", "reader", "internal", "internal", "internal"),
            ("open/below", "reader", "internal", "internal", "internal"),
        ]
        rows = admin.execute(
            "select scope, role, about_others, about_reader, shared from memhouse.effective_access('acme', 'boss')"
        ).fetchall()
        assert rows[0] == ("elsewhere", "admin", "internal", "restricted", "restricted")


@pytest.mark.parametrize("call", ["explain_admission('acme', 'weak', null)", "effective_access('acme', 'weak')"])
def test_for_administrators_only(fortress: Fortress, call: str) -> None:
    with psycopg.connect(fortress.dsn("app_writer")) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute(f"select * from memhouse.{call}")


def test_explain_admission_command(run: Run, fortress: Fortress) -> None:
    hidden = next(
        row
        for row in fortress.rows
        if row.account == "acme" and row.scope == "open" and row.sensitivity == "restricted"
    )
    shown = run("explain-admission", str(hidden.id), "--credential", "weak", "--account", "acme")
    assert shown.exit_code == 0
    assert "clearance   no   the row is restricted, the clearance internal" in shown.output
    told = json.loads(
        run("explain-admission", str(hidden.id), "--credential", "weak", "--account", "acme", "--json").output
    )
    assert {row["condition"]: row["holds"] for row in told}["admitted"] is False
    assert (
        run(
            "explain-admission", "00000000-0000-0000-0000-000000000001", "--credential", "weak", "--account", "acme"
        ).exit_code
        == 6
    )


def test_policies_command(run: Run) -> None:
    shown = run("policies", "--role", "app_analyst")
    assert shown.exit_code == 0
    assert "memhouse.knowledge  select, through memhouse_analyst" in shown.output
    assert "rows by admitted_now: " in shown.output and "memhouse.admits(" in shown.output
    assert "begin_read(" in shown.output and "remember(" not in shown.output
    shown = run("policies", "--role", "app_reader")
    assert shown.exit_code == 0
    assert "begin_read(" in shown.output and "select, through" not in shown.output and "rows by" not in shown.output
    shown = run("policies", "--credential", "weak", "--account", "acme")
    assert "open/below  reader  internal" in shown.output and "allow on open" in shown.output
    assert (
        json.loads(run("policies", "--credential", "weak", "--account", "acme", "--json").output)[0]["scope"] == "open"
    )
    assert run("policies").exit_code == 2
