"""Servers for tests: each PostgreSQL found on this machine, started fresh and thrown away.

testing.postgresql starts them. PostgreSQL refuses to run as root, so for root the two programs it
is given are wrappers that first change to another user.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from testing.postgresql import Postgresql

from memhouse_thin.server import ServerError, SystemUser, embedded_binaries, system_user

TIERS = ("core", "pg_cron", "plpython3u")
# pg_cron runs in one database of a server; its tests have one to themselves.
CRON_DATABASE = "memhouse_cron"
# The extension that makes each tier; core is pgvector.
_EXTENSIONS = {"core": "vector", "pg_cron": "pg_cron", "plpython3u": "plpython3u"}
# Loaded with the server, where it has them.
_PRELOADED = ("pg_cron", "pg_stat_statements")
_OLDEST_MAJOR = 15


@dataclass(frozen=True)
class Installation:
    """A PostgreSQL that tests can start."""

    id: str
    binaries: Path
    tiers: frozenset[str]
    preloaded: tuple[str, ...]


@dataclass(frozen=True)
class Server:
    """A running server. Every role gets in without a password."""

    id: str
    port: int
    version: int
    tiers: frozenset[str]
    installation: Installation
    _clones: list[str] = field(default_factory=list)

    def dsn(self, database: str, user: str = "postgres") -> str:
        return make_conninfo(host="127.0.0.1", port=self.port, dbname=database, user=user)

    def connect(self, database: str, user: str = "postgres", autocommit: bool = True) -> psycopg.Connection:
        return psycopg.connect(self.dsn(database, user), autocommit=autocommit)

    def create_database(self, template: str | None = None, owner: str = "postgres") -> str:
        """A new database of a name of its own."""
        name = f"test_{len(self._clones)}"
        self._clones.append(name)
        with self.connect("postgres") as connection:
            connection.execute(
                sql.SQL("create database {} template {} owner {} strategy file_copy").format(
                    sql.Identifier(name), sql.Identifier(template or "template1"), sql.Identifier(owner)
                )
            )
        return name

    def drop_database(self, name: str) -> None:
        with self.connect("postgres") as connection:
            connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def installations() -> list[Installation]:
    """Every usable server of this machine: the embedded one first, then the distribution's."""
    candidates: list[tuple[str, Path]] = []
    with suppress(ServerError):
        candidates.append(("embedded", embedded_binaries(None, Path())))
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name)):
        candidates.append(("full", folder))

    found = []
    for kind, binaries in candidates:
        if not (binaries / "initdb").exists():
            continue
        major = int(re.search(r"\d+", _ask(binaries / "postgres", "--version")).group())
        extensions = Path(_ask(binaries / "pg_config", "--sharedir")) / "extension"
        tiers = {tier for tier, name in _EXTENSIONS.items() if (extensions / f"{name}.control").exists()}
        if major >= _OLDEST_MAJOR and "core" in tiers:
            preloaded = tuple(name for name in _PRELOADED if (extensions / f"{name}.control").exists())
            found.append(Installation(f"{kind}-{major}", binaries, frozenset(tiers), preloaded))
    return found


def required_tiers() -> list[str]:
    """The tiers that MEMHOUSE_REQUIRE_TIERS says must be there."""
    return [tier.strip() for tier in os.environ.get("MEMHOUSE_REQUIRE_TIERS", "").split(",") if tier.strip()]


@contextmanager
def running(installation: Installation) -> Iterator[Server]:
    """Starts the server in a temporary directory, and removes both in the end."""
    user = system_user()
    base = Path(tempfile.mkdtemp(prefix="memhouse-test-"))
    try:
        binaries = installation.binaries
        if user:
            os.chown(base, user.uid, user.gid)
            if not user.may_reach(binaries / "postgres"):
                binaries = embedded_binaries(user, base)
        for name in ("data", "tmp"):
            (base / name).mkdir(mode=0o700)
            if user:
                os.chown(base / name, user.uid, user.gid)
        # Nothing here outlives the run, so nothing waits for the disk.
        settings = {
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "logging_collector": "off",
            "timezone": "UTC",
            "shared_preload_libraries": ",".join(installation.preloaded),
        }
        if "pg_cron" in installation.tiers:
            settings |= {"cron.database_name": CRON_DATABASE, "cron.use_background_workers": "on"}
        if "pg_stat_statements" in installation.preloaded:
            # What functions run inside them, too.
            settings |= {"pg_stat_statements.track": "all", "pg_stat_statements.save": "off"}
        with Postgresql(
            base_dir=str(base),
            initdb=wrapper(base, binaries / "initdb", user),
            postgres=wrapper(base, binaries / "postgres", user),
            initdb_args="-U postgres -A trust --encoding=UTF8 --locale=C.UTF-8 --no-sync",
            postgres_args=" ".join(["-h 127.0.0.1", *(f"-c {name}={value}" for name, value in settings.items())]),
            boot_timeout=30,
        ) as process:
            server = Server(
                id=installation.id,
                port=process.settings["port"],
                version=int(installation.id.rsplit("-", 1)[1]),
                tiers=installation.tiers,
                installation=installation,
            )
            if "pg_cron" in server.tiers:
                with server.connect("postgres") as connection:
                    connection.execute(sql.SQL("create database {}").format(sql.Identifier(CRON_DATABASE)))
                with server.connect(CRON_DATABASE) as connection:
                    connection.execute("create extension pg_cron")
            yield server
    finally:
        shutil.rmtree(base, ignore_errors=True)


def wrapper(base: Path, program: Path, user: SystemUser | None) -> str:
    """The program itself, or for root a script that runs it as another user."""
    if user is None:
        return str(program)
    script = base / program.name
    # Ends with the test run, even one that is killed.
    change = f"setpriv --pdeathsig INT --reuid={user.uid} --regid={user.gid} --clear-groups"
    script.write_text(f'#!/bin/sh\ncd / && exec {change} -- {shlex.quote(str(program))} "$@"\n')
    script.chmod(0o755)
    return str(script)


def _ask(program: Path, question: str) -> str:
    return subprocess.run([program, question], check=True, capture_output=True, text=True).stdout.strip()
