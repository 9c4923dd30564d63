"""What README.md and docs/ tell a reader to type works, and what they link to is there.

A block of code after a line `<!-- run as LOGIN -->` is run as it stands, in order with the others of its page: SQL by
psql, Python and shell as a program. They find the account of the tutorial, with the token of its credential.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from support.servers import Server

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^<!-- run as (\w+) -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUNNABLE = [page.relative_to(ROOT).as_posix() for page in PAGES if BLOCK.search(page.read_text())]
LOGINS = {
    "acme_app": ["memhouse_writer"],
    "acme_worker": ["memhouse_internal"],
    "acme_admin": ["memhouse_admin", "memhouse_jobs"],
}
# The command of this checkout, installed or not.
MEMHOUSE = (
    f"""memhouse() {{ {sys.executable} -c 'from memhouse_thin.cli import main; main(prog_name="memhouse")' "$@"; }}\n"""
)
STATEMENTS = [
    ("The billing job runs at 02:00 UTC.", {}),
    ("A failed billing run is repeated by hand with billing/reconcile.py --resume.", {"p_kind": "policy"}),
    ("Dana wants a phone call when billing fails at night.", {"p_subject_peer": "dana", "p_sensitivity": "personal"}),
    ("Customers are paid on the next banking day when a billing run fails.", {"p_sensitivity": "public"}),
]


@pytest.fixture
def acme(server: Server, fresh_database: str) -> Iterator[tuple[str, str]]:
    """The account of the tutorial: the database, and the token of its assistant."""
    with psycopg.connect(fresh_database, autocommit=True) as conn:
        for login, memberships in LOGINS.items():
            conn.execute(sql.SQL("create role {} login").format(sql.Identifier(login)))
            for role in memberships:
                conn.execute(sql.SQL("grant {} to {}").format(sql.Identifier(role), sql.Identifier(login)))
        conn.execute("""
            select memhouse.create_account('acme'), memhouse.create_scope('acme', 'acme'), memhouse.create_peer('acme', 'dana'),
                memhouse.create_scope('acme', 'acme/billing', 'acme'), memhouse.create_peer('acme', 'omar')""")
        (token,) = conn.execute(
            "select memhouse.create_credential('acme', 'assistant', p_clearance => 'personal')"
        ).fetchone()
        conn.execute("select memhouse.grant_scope('acme', 'assistant', 'acme', 'member')")
        with conn.transaction():
            conn.execute("select memhouse.begin_write(%s)", (token,))
            for statement, options in STATEMENTS:
                named = "".join(f", {key} => %({key})s" for key in options)
                conn.execute(f"select memhouse.remember('acme/billing', %(s)s{named})", {"s": statement, **options})
    yield fresh_database, token
    name = psycopg.conninfo.conninfo_to_dict(fresh_database)["dbname"]
    server.drop_database(name)
    with server.connect("postgres") as conn:
        for login in LOGINS:
            conn.execute(sql.SQL("drop role {}").format(sql.Identifier(login)))


@pytest.mark.parametrize("page", RUNNABLE)
def test_what_a_page_tells_to_type_works(page: str, server: Server, acme: tuple[str, str], tmp_path: Path) -> None:
    database, token = acme
    psql = [server.installation.binaries / "psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--set=token={token}"]
    for login, language, text in BLOCK.findall((ROOT / page).read_text()):
        dsn = make_conninfo(database, user=login)
        program = {
            "sql": [*psql, f"--dbname={dsn}"],
            "python": [sys.executable, "-"],
            "sh": ["bash", "-euo", "pipefail"],
        }
        environment = {
            **os.environ,
            "PATH": f"{server.installation.binaries}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "MEMHOUSE_DSN": dsn,
            "MEMHOUSE_CREDENTIAL": token,
        }
        done = subprocess.run(
            program[language],
            input=MEMHOUSE * (language == "sh") + text,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            timeout=120,
        )
        assert done.returncode == 0, f"{page}, as {login}:\n{text}\n{done.stdout}\n{done.stderr}"


def test_the_settings_of_the_server_are_those_in_the_guide(db: psycopg.Connection) -> None:
    guide = (ROOT / "docs" / "retrieval.md").read_text()
    described = {}
    for names, values in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (\d[\d, ]*) \|", guide, re.MULTILINE):
        numbers = [int(value.replace(",", "")) for value in values.split(", ")]
        described |= dict(zip(re.findall(r"\w+", names), numbers, strict=True))
    assert described == dict(db.execute("select name, value::integer from memhouse.server_setting").fetchall())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", found.read_text(), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in anchors, f"{page.name} links to {target}"
