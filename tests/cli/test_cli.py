"""The command line: help, JSON, exit codes, and errors told in words."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import psycopg
import pytest
from click.testing import CliRunner, Result

from memhouse_thin import errors
from memhouse_thin.cli import main
from memhouse_thin.cli.app import EXIT_CODES, exit_code
from memhouse_thin.cli.render import score_bar
from support.house import House


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("PG", "MEMHOUSE_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MEMHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMHOUSE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("COLUMNS", "100")


Run = Callable[..., Result]

CALL_MAIN = "from memhouse_thin.cli import main; main()"


@pytest.fixture
def run() -> Run:
    def invoke(*arguments: str, dsn: str | None = None, **environment: str) -> Result:
        if dsn is not None:
            environment["MEMHOUSE_DSN"] = dsn
        result = CliRunner().invoke(main, arguments, env=environment)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return invoke


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands(main))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(run: Run, path: tuple[str, ...]) -> None:
    result = run(*path, "-h")
    assert result.exit_code == 0
    assert "Example" in result.output and f"memhouse {' '.join(path)}" in result.output
    assert "--json" in result.output
    for parameter in COMMANDS[path].params:
        if isinstance(parameter, click.Option) and parameter.name in {"dsn", "as_json", "credential", "account"}:
            assert parameter.help


def test_the_guide_names_every_command() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "client.md").read_text()
    missing = [" ".join(path) for path in COMMANDS if f"memhouse {' '.join(path)}" not in guide]
    assert not missing


def test_the_guides_quick_start_works(fresh_database: str, tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "client.md").read_text()
    shell, python = (guide.split(f"```{language}\n", 1)[1].split("```", 1)[0] for language in ("sh", "python"))
    # The database is there already; the rest is typed as the guide says.
    typed = [line for line in shell.splitlines() if not line.startswith(("pip ", "memhouse up"))]
    (tmp_path / "memhouse").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{CALL_MAIN}" "$@"\n')
    (tmp_path / "memhouse").chmod(0o755)
    (tmp_path / "example.py").write_text(python)
    script = "\n".join(["set -e", *typed, f"{sys.executable} {tmp_path}/example.py"])
    environment = {**os.environ, "MEMHOUSE_DSN": fresh_database, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "The billing job runs at 02:00 UTC." in done.stdout and "Invoices go out on Mondays." in done.stdout


def test_every_error_has_an_exit_code_that_help_tells(run: Run) -> None:
    for cls in errors.CATALOGUE.values():
        assert exit_code(cls("x")) > 1, cls
    told = run("-h").output
    for code in set(EXIT_CODES.values()):
        assert f"{code}  " in told


def test_no_database(run: Run) -> None:
    result = run("search", "x")
    assert result.exit_code == 4
    assert "memhouse up" in result.stderr and result.stdout == ""
    result = run("search", "x", dsn="host=127.0.0.1 port=1 connect_timeout=2")
    assert result.exit_code == 4 and result.stderr.startswith("error: ")


def test_libpqs_own_variables(run: Run, house: House) -> None:
    parts = psycopg.conninfo.conninfo_to_dict(house.dsn)
    result = run(
        "identity",
        "list",
        PGHOST=parts["host"],
        PGPORT=str(parts["port"]),
        PGDATABASE=parts["dbname"],
        PGUSER=parts["user"],
        MEMHOUSE_CREDENTIAL=house.tokens["bot"],
    )
    assert (result.exit_code, result.stdout) == (0, "test:words@1#16  (default)\n")


def test_not_installed_then_migrated(run: Run, empty_database: str) -> None:
    result = run("search", "x", dsn=empty_database)
    assert result.exit_code == 9 and "memhouse migrate" in result.stderr
    assert run("migrate", "--check", dsn=empty_database).exit_code == 3
    assert run("doctor", dsn=empty_database).exit_code == 10
    result = run("migrate", "--json", dsn=empty_database)
    assert result.exit_code == 0 and json.loads(result.stdout)["migrations"]
    result = run("migrate", "--check", dsn=empty_database)
    assert result.exit_code == 0 and "no drift" in result.stdout


def test_from_an_empty_database_to_an_answer(run: Run, fresh_database: str) -> None:
    def ok(*arguments: str, **environment: str) -> str:
        result = run(*arguments, dsn=fresh_database, MEMHOUSE_ACCOUNT="acme", **environment)
        assert result.exit_code == 0, result.output
        return result.stdout

    def ok_json(*arguments: str, **environment: str) -> Any:
        return json.loads(ok(*arguments, "--json", **environment))

    assert ok("account", "create", "acme") == "account acme created\n"
    assert ok_json("scope", "create", "acme")["scope"] == "acme"
    ok("scope", "create", "acme/billing", "--parent", "acme")
    ok("peer", "create", "dana", "--name", "Dana Reyes")
    ok("credential", "create", "other")
    assert ok_json("grant", "other", "acme", "--role", "reader")["effect"] == "allow"
    assert "denied" in ok("grant", "other", "acme/billing", "--deny")
    token = ok("credential", "create", "bot", "--grant", "acme:member").strip()
    assert token.startswith("mh_") and "\n" not in token
    mine = {"MEMHOUSE_CREDENTIAL": token}
    id = ok("remember", "The billing job runs at 02:00 UTC.", "--scope", "acme/billing", **mine).strip()
    found = ok_json("search", "when does billing run?", "--peer", "dana", **mine)
    assert [hit["id"] for hit in found["candidates"]] == [id]
    assert set(found) >= {
        "candidates", "reader_posture", "profile", "profile_version", "strategies", "retrieval_outcomes", "disagreement",
        "analyzer_version", "deadline_ms", "elapsed_ms", "reserved_rerank_ms", "embedding_ms", "total_ms", "reader",
    }  # fmt: skip
    table = ok("search", "when does billing run?", "--peer", "dana", "--filter", "min_confidence=0.5", **mine)
    assert "The billing job runs at 02:00 UTC." in table and "acme/billing · fact · internal · lexical" in table
    assert "reader: peer dana" in table and "dependency unavailable" in table and "\x1b" not in table
    assert "Nothing that this reader may see" in ok("search", "zebra", **mine)
    assert ok_json("credential", "revoke", "bot") == {"credential": "bot", "revoked": True}
    assert run("search", "x", dsn=fresh_database, **mine).exit_code == 5


REFUSED: dict[str, tuple[int, list[str]]] = {
    "usage": (2, ["search", "x", "--limit", "many"]),
    "unknown command": (2, ["rumour"]),
    "filter form": (2, ["search", "x", "--filter", "kind"]),
    "half an identity": (2, ["identity", "register", "--model", "x"]),
    "credential": (5, ["search", "x", "--credential", "mh_no"]),
    "peer": (6, ["search", "x", "--peer", "nobody"]),
    "scope": (6, ["search", "x", "--scope", "nowhere"]),
    "profile": (6, ["search", "x", "--profile", "wild"]),
    "account": (6, ["scope", "create", "x", "--account", "nowhere"]),
    "limit": (7, ["search", "x", "--limit", "0"]),
    "filter": (7, ["search", "x", "--filter", "colour=red"]),
    "taken": (7, ["account", "create", "acme"]),
    "length": (7, ["search", "x" * 100_000]),
    "time": (7, ["search", "x", "--as-of", "never ever"]),
    "source": (7, ["remember", "x", "--scope", "acme", "--source", "one"]),
    "no local model": (9, ["search", "x", "--embed"]),
    "no model to register": (7, ["identity", "register"]),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_expected_errors(run: Run, house: House, case: str, as_json: bool) -> None:
    code, arguments = REFUSED[case]
    extra = ["--json"] if as_json and case != "unknown command" else []
    result = run(*arguments, *extra, dsn=house.dsn, MEMHOUSE_CREDENTIAL=house.tokens["bot"])
    assert result.exit_code == code, result.output
    assert result.stdout == "" and result.stderr
    if code != 2 and as_json:
        told = json.loads(result.stderr)
        assert set(told) == {"error", "sqlstate", "message", "detail", "hint"} and told["message"]
    elif code != 2:
        assert result.stderr.startswith("error: ")


def test_import(run: Run, own_house: House, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    lines = [{"type": "observation", "scope": "acme", "content": f"Message {n}."} for n in range(1000)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines[:899]) + "{oops\n")
    mine = {"dsn": own_house.dsn, "MEMHOUSE_CREDENTIAL": own_house.tokens["bot"]}
    result = run("import", str(file), **mine)
    assert result.exit_code == 7 and "line 900" in result.stderr and "Nothing of the file was stored." in result.stderr
    lines[899] = {"type": "observation", "scope": "nowhere", "content": "x"}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = run("import", str(file), "--commit-every", "200", **mine)
    assert result.exit_code == 6
    assert "line 900" in result.stderr and "up to line 800" in result.stderr and "--resume" in result.stderr
    result = run("import", str(file), "--resume", "--json", **mine)
    told = json.loads(result.stderr)
    assert (told["line"], told["field"], told["stored"], told["error"]) == (900, "scope", 500, "ScopeUnknown")
    lines[899]["scope"] = "acme"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = run("import", str(file), "--resume", **mine)
    assert result.exit_code == 0 and "200 stored, 800 already there" in result.stdout
    report = json.loads(run("import", str(file), "--json", **mine).stdout)
    assert report["observations"] == {"new": 0, "existing": 1000}
    assert own_house.execute("select count(*) from memhouse.observation") == [(1000,)]


def test_doctor_on_a_healthy_database(run: Run, own_house: House) -> None:
    result = run("doctor", "--json", dsn=own_house.dsn)
    report = json.loads(result.stdout)
    assert result.exit_code == 0 and report["healthy"], result.stdout
    assert {check["name"] for check in report["checks"]} == {
        "server", "vector", "pg_cron", "plpython3u", "tiers", "roles", "schema", "row security", "functions", "logins", "schemas",
        "text search",
    }  # fmt: skip
    assert all(check["hint"] for check in report["checks"] if check["status"] in {"warning", "failure"})


def test_doctor_finds_what_is_wrong(run: Run, own_house: House) -> None:
    own_house.execute("alter table memhouse.peer no force row level security")
    own_house.execute("alter table memhouse.scope disable row level security")
    own_house.execute("grant create on schema memhouse to public")
    own_house.execute("update memhouse_migrations.file_checksum set sha256 = 'x' where path like '%begin_read.sql'")
    own_house.execute("create role wide login bypassrls")
    own_house.execute("create role heir login")
    own_house.execute("grant memhouse_owner to heir")
    try:
        result = run("doctor", dsn=own_house.dsn)
    finally:
        own_house.execute("drop role wide")
        own_house.execute("drop role heir")
    assert result.exit_code == 10
    for words in (
        "not enabled: scope",
        "not forced: peer",
        "anyone may create objects in schema memhouse",
        "drift",
        "wide has BYPASSRLS",
        "heir is a member of memhouse_owner",
    ):
        assert words in result.stdout


def test_colour_is_for_terminals(house: House) -> None:
    arguments = [sys.executable, "-c", CALL_MAIN, "search", "x", "--peer", "dana"]
    environment = {
        **os.environ,
        "MEMHOUSE_DSN": house.dsn,
        "MEMHOUSE_CREDENTIAL": house.tokens["bot"],
        "TERM": "xterm",
    }
    assert b"\x1b" not in subprocess.run(arguments, env=environment, capture_output=True, check=True).stdout
    assert b"\x1b[" in on_a_terminal(arguments, environment)
    assert b"\x1b[" not in on_a_terminal(arguments, {**environment, "NO_COLOR": "1"})


def on_a_terminal(arguments: list[str], environment: dict[str, str]) -> bytes:
    leader, follower = os.openpty()
    with subprocess.Popen(arguments, env=environment, stdout=follower, stderr=follower, stdin=follower) as process:
        os.close(follower)
        output = io.BytesIO()
        try:
            while data := os.read(leader, 4096):
                output.write(data)
        except OSError:  # the other end has closed
            pass
        finally:
            os.close(leader)
        assert process.wait(30) == 0
    return output.getvalue()


def test_score_bars() -> None:
    assert (score_bar(0), score_bar(1), score_bar(7)) == (" " * 10, "█" * 10, "█" * 10)
    assert score_bar(0.5).strip() == "█████" and score_bar(0.55).strip() == "█████▌"
