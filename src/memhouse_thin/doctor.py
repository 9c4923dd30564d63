"""Looks a server over: versions, tiers, roles, drift, row-level security, and who could walk around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import psycopg
from psycopg.rows import namedtuple_row

from memhouse_thin import core, sql
from memhouse_thin.errors import MemhouseError
from memhouse_thin.migrate import MigrationError, database_folder, migrate, read_scripts

Status = Literal["ok", "note", "warning", "failure"]

MINIMUM_SERVER = 150000

ROLES = (
    "memhouse_owner",
    "memhouse_gate",
    "memhouse_strategy",
    "memhouse_api",
    "memhouse_reader",
    "memhouse_writer",
    "memhouse_analyst",
    "memhouse_internal",
    "memhouse_admin",
    "memhouse_jobs",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at, how it stands, and what to do about it."""

    name: str
    status: Status
    summary: str
    hint: str | None = None


def examine(dsn: str) -> list[Check]:
    """Every check, in the order of the report; raises only when the server cannot be reached."""
    try:
        conn = psycopg.connect(dsn, autocommit=True, row_factory=namedtuple_row, **core.connection_defaults(dsn))
    except Exception as error:
        raise core.failure(error) from error
    with conn:
        try:
            conn.execute("set default_transaction_read_only = on")
            checks = [
                *_server(conn),
                *_extensions(conn),
                *_roles(conn),
                *_drift(dsn),
                *_functions(conn),
                *_row_security(conn),
                *_logins(conn),
                *_schemas(conn),
                *_text_search(conn),
            ]
        except psycopg.Error as error:
            raise core.failure(error) from error
    return checks


def _server(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    (row,) = conn.execute(sql.SERVER).fetchall()
    version = f"PostgreSQL {row.version}, database {row.database}, as {row.role}" + (", standby" if row.standby else "")
    if row.version_num < MINIMUM_SERVER:
        yield Check("server", "failure", version, "memhouse needs PostgreSQL 15 or later.")
    else:
        yield Check("server", "ok", version)


def _extensions(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    tiers = ["core"]
    for row in conn.execute(sql.EXTENSIONS):
        if row.installed:
            summary = f"{row.installed} in schema {row.schema}"
        elif row.available:
            summary = f"not in this database; the server has {row.available}"
        else:
            summary = "not on this server"
        if row.name == "vector":
            if row.installed is None:
                yield Check("vector", "failure", summary, "A DBA runs: create extension vector")
            elif tuple(int(part) for part in row.installed.split(".")[:2]) < (0, 8):
                yield Check("vector", "failure", summary, "memhouse needs pgvector 0.8: alter extension vector update")
            else:
                yield Check("vector", "ok", summary)
        else:
            yield Check(row.name, "ok" if row.installed else "note", summary)
            if row.installed:
                tiers.append(row.name)
    yield Check("tiers", "ok", ", ".join(tiers))


def _roles(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    rows = list(conn.execute(sql.ROLES, {"roles": list(ROLES)}))
    missing = [row.name for row in rows if not row.present]
    login = [row.name for row in rows if row.can_login]
    strong = [row.name for row in rows if row.too_strong]
    if missing:
        yield Check("roles", "failure", f"missing: {', '.join(missing)}", "Run: memhouse migrate")
    if login:
        hint = f"A DBA runs: alter role {login[0]} nologin"
        yield Check("roles", "failure", f"can log in: {', '.join(login)}", hint)
    if strong:
        hint = f"A DBA runs: alter role {strong[0]} nosuperuser nobypassrls"
        yield Check("roles", "failure", f"SUPERUSER or BYPASSRLS: {', '.join(strong)}", hint)
    if not (missing or login or strong):
        yield Check("roles", "ok", f"{len(rows)} roles, none can log in")


def _drift(dsn: str) -> Iterator[Check]:
    try:
        report = migrate(dsn, check=True)
    except (MigrationError, psycopg.Error, MemhouseError) as error:
        hint = getattr(error, "hint", None)
        yield Check("schema", "failure", str(getattr(error, "message", error)), hint or "Run: memhouse migrate")
        return
    if report.drift:
        groups = {
            "pending": (*report.migrations, *report.repeatables),
            "missing": report.missing,
            "edited": report.edited,
            "unknown": report.unknown,
        }
        summary = "; ".join(f"{len(names)} {group}" for group, names in groups.items() if names)
        yield Check("schema", "failure", f"drift: {summary}", "See: memhouse migrate --check")
    else:
        yield Check("schema", "ok", f"{report.unchanged} files, no drift")
    for needs, files in Counter(skipped.needs for skipped in report.skipped).items():
        yield Check("schema", "note", f"{files} files wait for {needs}")


def _functions(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    """A function that no file makes is left from an older signature, and may make calls ambiguous."""
    made = Counter(
        name
        for script in read_scripts(database_folder())
        for name in re.findall(r"create (?:or replace )?(?:function|procedure) memhouse\.(\w+)\s*\(", script.text)
    )
    astray = [row.name for row in conn.execute(sql.FUNCTIONS) if row.overloads > made[row.name]]
    if astray:
        hint = "Drop the signatures that docs/reference.md does not list, or ask whoever made them."
        yield Check("functions", "warning", f"not made by any file: {', '.join(astray)}", hint)
    else:
        yield Check("functions", "ok", "every function comes from a file")


def _row_security(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    rows = list(conn.execute(sql.TABLES))
    off = [row.name for row in rows if not row.relrowsecurity]
    unforced = [row.name for row in rows if row.relrowsecurity and not row.relforcerowsecurity]
    if not rows:
        yield Check("row security", "failure", "schema memhouse holds no table", "Run: memhouse migrate")
    if off:
        yield Check("row security", "failure", f"not enabled: {', '.join(off)}", "Run: memhouse migrate")
    if unforced:
        yield Check("row security", "failure", f"not forced: {', '.join(unforced)}", "Run: memhouse migrate")
    if rows and not (off or unforced):
        yield Check("row security", "ok", f"enabled and forced on {len(rows)} tables")


def _logins(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    migrating = {row.name for row in conn.execute(sql.MIGRATING_ROLES)}
    found = False
    for row in conn.execute(sql.STRONG_LOGINS):
        if row.is_superuser:
            continue
        if row.bypasses_rls:
            found = True
            yield Check(
                "logins",
                "warning",
                f"{row.name} has BYPASSRLS and sees every row of every account",
                f'Unless that is meant, a DBA runs: alter role "{row.name}" nobypassrls',
            )
        if row.is_owner and row.name not in migrating:
            found = True
            yield Check(
                "logins",
                "warning",
                f"{row.name} is a member of memhouse_owner and can change policies and functions",
                f'Only the migrating role needs that; a DBA runs: revoke memhouse_owner from "{row.name}"',
            )
    if not found:
        yield Check("logins", "ok", "nobody but superusers and the migrating role stands above row security")


def _schemas(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    names = [row.name for row in conn.execute(sql.SCHEMA_OPEN_TO_PUBLIC)]
    for name in names:
        # Functions are pinned to pg_catalog and name everything else, so this is a risk to others first.
        yield Check(
            "schemas",
            "warning",
            f"anyone may create objects in schema {name}",
            f"A DBA runs: revoke create on schema {name} from public",
        )
    if not names:
        yield Check("schemas", "ok", "only their owners create in schemas memhouse and pgvector's")


def _text_search(conn: psycopg.Connection[Any]) -> Iterator[Check]:
    (row,) = conn.execute(sql.TEXT_SEARCH).fetchall()
    if row.english:
        yield Check("text search", "ok", "configuration english")
    else:
        yield Check("text search", "failure", "pg_catalog.english is missing", "Restore the built-in configuration.")
