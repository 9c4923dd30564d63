"""Brings a database to the schema of this version.

Two kinds of file: *migrations* run once, in order, through yoyo; *repeatables* (functions, then
policies) run again whenever their text changed. yoyo remembers the names of files and nothing of
their contents, so the checksums are kept here, in `memhouse_migrations.file_checksum`.
"""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import psycopg
import sqlparse
from psycopg import errors, sql
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import Migration, MigrationList, StepCollector, default_migration_table

logger = logging.getLogger(__name__)

Connection = psycopg.Connection[tuple[Any, ...]]

SCHEMA = "memhouse_migrations"
OWNER = "memhouse_owner"
MINIMUM_SERVER = 15
MINIMUM_VECTOR = (0, 8)
VECTOR_SCHEMA_TOKEN = "@extschema:vector@"
# The letters of "memhouse". Advisory locks belong to one database, as migrations do.
LOCK_KEY = int.from_bytes(b"memhouse", "big")
# Migrations of two databases of one server may create the same roles at the same moment.
SHARED_CATALOG_ATTEMPTS = 5

_NOT_THERE_YET = (errors.UndefinedFunction, errors.UndefinedTable, errors.UndefinedObject)


class MigrationError(Exception):
    """Why a database could not be migrated; `hint` is what to do about it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class ServerTooOld(MigrationError):
    """The server's major version is not supported."""


class ExtensionMissing(MigrationError):
    """pgvector is not in the database, or is too old, and could not be added."""


class PermissionMissing(MigrationError):
    """The role that migrates may not do what migrating needs."""


class MigrationEdited(MigrationError):
    """A migration that this database already ran has changed since."""


class DatabaseNewer(MigrationError):
    """The database ran migrations that this version does not have."""


class ScriptFailed(MigrationError):
    """A file's SQL failed; `path` and `line` say where."""

    def __init__(self, path: str, line: int | None, error: psycopg.Error, hint: str | None = None) -> None:
        diagnostics = error.diag
        parts = [diagnostics.message_primary or str(error)]
        parts += [f"DETAIL: {diagnostics.message_detail}"] if diagnostics.message_detail else []
        parts += [f"CONTEXT: {diagnostics.context}"] if diagnostics.context else []
        where = f"{path}:{line}" if line else path
        super().__init__(f"{where}: " + "\n".join(parts), hint or diagnostics.message_hint)
        self.path = path
        self.line = line
        self.sqlstate = error.sqlstate


@dataclass(frozen=True, slots=True)
class Skipped:
    """A repeatable that waits for an extension the database does not have."""

    path: str
    needs: str


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What `migrate` did; with `check`, what it would do. Paths are relative to the db folder."""

    checked: bool
    server_version: str
    vector_version: str | None
    migrations: tuple[str, ...]
    repeatables: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[str, ...]
    """Repeatables the database has whose file is gone: a migration must drop what they made."""
    edited: tuple[str, ...]
    """Migrations changed after this database ran them. Always empty without `check`."""
    unknown: tuple[str, ...]
    """Migrations the database ran that are not among the files. Always empty without `check`."""
    unchanged: int

    @property
    def drift(self) -> bool:
        """True if the database is not what the files say."""
        pending = self.checked and (self.migrations or self.repeatables)
        return bool(pending or self.missing or self.edited or self.unknown)


@dataclass(frozen=True, slots=True)
class Script:
    """One file of the db folder."""

    path: str
    kind: str
    text: str

    @property
    def migration_id(self) -> str:
        return PurePosixPath(self.path).stem

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def needs(self) -> str | None:
        """The extension without which this file is left out."""
        path = PurePosixPath(self.path)
        if "90_models" in path.parts:
            return "plpython3u"
        return "pg_cron" if path.name.endswith(".pg_cron.sql") else None


@dataclass(frozen=True, slots=True)
class _State:
    """What the database says of itself."""

    server_version: str
    vector_version: str | None
    vector_schema: str | None
    extensions: frozenset[str]
    is_superuser: bool
    applied: tuple[str, ...]
    checksums: dict[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The files, sorted by what is to be done about them."""

    pending: list[Script]
    edited: list[str]
    unknown: list[str]
    repeatables: list[Script]
    skipped: list[Skipped]
    missing: list[str]
    dropped: list[str]
    unchanged: int


def database_folder() -> Path:
    """The folder of SQL files: inside an installed package, or beside `src` in a checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_db", package.parents[1] / "db"):
        if (folder / "migrations").is_dir():
            return folder
    raise MigrationError("this installation holds no SQL files", "Reinstall memhouse.")


def migrate(dsn: str, check: bool = False, folder: Path | None = None) -> MigrationReport:
    """Applies what is pending; with `check`, only reports it and changes nothing.

    `dsn` must reach the server itself and not a transaction pooler: the lock that makes concurrent
    calls wait for one another belongs to the session.
    """
    folder = folder or database_folder()
    with psycopg.connect(dsn, autocommit=True, application_name="memhouse migrate") as connection:
        if check:
            connection.read_only = True
            with connection.transaction():
                state = _read_state(connection)
                _require_server(connection)
                return _report(state, _plan(folder, state), checked=True)
        _require_server(connection)
        with _locked(connection):
            _require_vector(connection)
            _require_bookkeeping(connection)
            state = _read_state(connection)
            plan = _plan(folder, state)
            _refuse_foreign_history(plan)
            # Loads pgvector's library: until then nobody but a superuser may name its settings in a function.
            connection.execute(f"select '[1]'::{state.vector_schema}.vector")
            _apply_migrations(connection, folder, plan, state)
            _apply_repeatables(connection, plan)
            return _report(state, plan, checked=False)


def rollback(dsn: str, count: int = 1, folder: Path | None = None) -> tuple[str, ...]:
    """Undoes the last `count` migrations and returns their ids, latest first.

    All repeatables are forgotten, so the next `migrate` applies every one again.
    """
    folder = folder or database_folder()
    with psycopg.connect(dsn, autocommit=True, application_name="memhouse rollback") as connection, _locked(connection):
        _require_bookkeeping(connection)
        state = _read_state(connection)
        _refuse_foreign_history(_plan(folder, state))
        backend = _Backend(connection)
        migrations = [script for script in read_scripts(folder) if script.kind == "migration"]
        chosen = list(backend.to_rollback(_yoyo_migrations(folder, state.vector_schema, migrations)))[:count]
        for migration in chosen:
            backend.rollback_one(migration)
        return tuple(migration.id for migration in chosen)


def read_scripts(folder: Path) -> list[Script]:
    """Every file, in the order in which they are applied."""
    scripts: list[Script] = []
    for directory, kind in (("migrations", "migration"), ("functions", "function"), ("policies", "policy")):
        paths = sorted((folder / directory).rglob("*.sql"), key=lambda path: path.relative_to(folder).as_posix())
        scripts += [
            # Reading as text makes the checksum independent of the checkout's line ends.
            Script(path.relative_to(folder).as_posix(), kind, path.read_text(encoding="utf-8"))
            for path in paths
            if not path.name.endswith(".rollback.sql")
        ]
    return scripts


# --- what the server must have -------------------------------------------------------------------


def _require_server(connection: Connection) -> None:
    major = connection.info.server_version // 10000
    if major < MINIMUM_SERVER:
        raise ServerTooOld(f"the server is PostgreSQL {major}; memhouse needs {MINIMUM_SERVER} or later")


def _require_vector(connection: Connection) -> None:
    """Adds pgvector where that is allowed, and otherwise says what a DBA types."""
    installed, available, database, packages = _row(
        connection,
        """select (select extversion from pg_catalog.pg_extension where extname = 'vector'),
                  (select default_version from pg_catalog.pg_available_extensions where name = 'vector'),
                  pg_catalog.current_database(),
                  pg_catalog.current_setting('server_version_num')::int / 10000""",
    )
    minimum = ".".join(map(str, MINIMUM_VECTOR))
    package_hint = (
        f"On the server's machine a DBA installs pgvector {minimum} or later (on Debian: apt install "
        f"postgresql-{packages}-pgvector); then, as a superuser in database {database}: "
    )
    if available is None:
        raise ExtensionMissing(
            "the extension `vector` (pgvector) is missing on the server", package_hint + "create extension vector;"
        )
    if installed is None:
        if _version(available) < MINIMUM_VECTOR:
            raise ExtensionMissing(
                f"the server offers pgvector {available}; {minimum} or later is needed",
                package_hint + "create extension vector;",
            )
        try:
            connection.execute("create extension vector")
        except errors.InsufficientPrivilege as error:
            raise ExtensionMissing(
                f"database {database} lacks the extension `vector` (pgvector); {connection.info.user} may not add it",
                f"The server has the package. A superuser types in database {database}: create extension vector;",
            ) from error
    elif _version(installed) < MINIMUM_VECTOR:
        hint = "alter extension vector update;"
        raise ExtensionMissing(
            f"database {database} has pgvector {installed}; {minimum} or later is needed",
            package_hint + hint
            if _version(available) < MINIMUM_VECTOR
            else f"A superuser types in database {database}: {hint}",
        )


def _require_bookkeeping(connection: Connection) -> None:
    """The schema for yoyo's tables and for the checksums."""
    database, schema_owner, may_use, may_create = _row(
        connection,
        """select pg_catalog.current_database(), pg_catalog.pg_get_userbyid(n.nspowner),
                  pg_catalog.pg_has_role(n.nspowner, 'usage'),
                  pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')
           from (select) as one left join pg_catalog.pg_namespace as n on n.nspname = %s""",
        SCHEMA,
    )
    user = connection.info.user
    if schema_owner is None:
        if not may_create:
            raise PermissionMissing(
                f"{user} may not create schemas in database {database}",
                f"Its owner types: grant create on database {database} to {user};",
            )
        connection.execute(sql.SQL("create schema {}").format(sql.Identifier(SCHEMA)))
        connection.execute(
            sql.SQL("comment on schema {} is 'What `memhouse migrate` has applied to this database.'").format(
                sql.Identifier(SCHEMA)
            )
        )
    elif not may_use:
        raise PermissionMissing(
            f"database {database} is migrated by {schema_owner}, and {user} is not a member of that role",
            f"Connect as {schema_owner}, or let a DBA type: grant {schema_owner} to {user};",
        )
    connection.execute(
        sql.SQL(
            """create table if not exists {0}.file_checksum (
                   path text primary key,
                   kind text not null,
                   sha256 text not null,
                   applied_at timestamptz not null default pg_catalog.now()
               )"""
        ).format(sql.Identifier(SCHEMA))
        if _row(connection, "select pg_catalog.to_regclass(%s) is null", f"{SCHEMA}.file_checksum")[0]
        else "select"
    )


@contextmanager
def _locked(connection: Connection) -> Iterator[None]:
    """Makes concurrent calls wait for one another; the lock ends with the session at the latest."""
    # A server-wide statement_timeout is meant for applications, not for building an index.
    connection.execute("set statement_timeout = 0")
    if not _row(connection, "select pg_catalog.pg_try_advisory_lock(%s)", LOCK_KEY)[0]:
        logger.info("another migration of this database is running; waiting for it")
        connection.execute("select pg_catalog.pg_advisory_lock(%s)", (LOCK_KEY,))
    yield


# --- what the database has, and what is to be done ------------------------------------------------


def _read_state(connection: Connection) -> _State:
    server_version, vector_version, vector_schema, extensions, has_history, has_checksums = _row(
        connection,
        """select pg_catalog.current_setting('server_version'),
                  (select extversion from pg_catalog.pg_extension where extname = 'vector'),
                  (select extnamespace::pg_catalog.regnamespace::text from pg_catalog.pg_extension
                   where extname = 'vector'),
                  (select pg_catalog.array_agg(extname::text) from pg_catalog.pg_extension),
                  pg_catalog.to_regclass(%s) is not null,
                  pg_catalog.to_regclass(%s) is not null""",
        f"{SCHEMA}.{default_migration_table}",
        f"{SCHEMA}.file_checksum",
    )
    applied: list[str] = []
    checksums: dict[str, tuple[str, str]] = {}
    if has_history:
        history = sql.SQL("select migration_id from {}.{} order by migration_id").format(
            sql.Identifier(SCHEMA), sql.Identifier(default_migration_table)
        )
        applied = [row[0] for row in connection.execute(history)]
    if has_checksums:
        rows = connection.execute(
            sql.SQL("select path, kind, sha256 from {}.file_checksum").format(sql.Identifier(SCHEMA))
        )
        checksums = {path: (kind, sha256) for path, kind, sha256 in rows}
    return _State(
        server_version=server_version,
        vector_version=vector_version,
        vector_schema=vector_schema,
        extensions=frozenset(extensions),
        is_superuser=_is_superuser(connection),
        applied=tuple(applied),
        checksums=checksums,
    )


def _plan(folder: Path, state: _State) -> _Plan:
    scripts = read_scripts(folder)
    migrations = [script for script in scripts if script.kind == "migration"]
    names = {script.migration_id for script in migrations}
    pending = [script for script in migrations if script.migration_id not in state.applied]
    edited = [
        script.path
        for script in migrations
        if script not in pending and state.checksums.get(script.path, ("", script.sha256))[1] != script.sha256
    ]

    repeatables: list[Script] = []
    skipped: list[Skipped] = []
    changed = bool(pending)
    unchanged = 0
    for script in scripts:
        if script.kind == "migration":
            continue
        unmet = _unmet_need(script, state)
        if unmet:
            skipped.append(Skipped(script.path, unmet))
            continue
        rendered = _render(script, state.vector_schema)
        known = state.checksums.get(script.path, ("", ""))[1] == rendered.sha256
        # A migration may have dropped what depends on what it changed: all repeatables again.
        # A function made anew has default privileges, and the policies end with the whole
        # privilege matrix: one changed function brings all policies back.
        if known and not pending and not (script.kind == "policy" and changed):
            unchanged += 1
            continue
        changed = True
        repeatables.append(rendered)

    present = {script.path for script in scripts}
    gone = sorted(path for path, (kind, _) in state.checksums.items() if kind != "migration" and path not in present)
    return _Plan(
        pending=pending,
        edited=edited,
        unknown=sorted(set(state.applied) - names),
        repeatables=repeatables,
        skipped=skipped,
        # The migration that comes with a file's removal drops what the file made.
        missing=[] if pending else gone,
        dropped=gone if pending else [],
        unchanged=unchanged,
    )


def _unmet_need(script: Script, state: _State) -> str | None:
    if script.needs is None:
        return None
    if script.needs not in state.extensions:
        return f"extension {script.needs}"
    if script.needs == "plpython3u" and not state.is_superuser:
        return "a superuser, who alone may create functions in plpython3u"
    return None


def _refuse_foreign_history(plan: _Plan) -> None:
    if plan.unknown:
        raise DatabaseNewer(
            f"this database ran migrations that this version of memhouse does not have: {', '.join(plan.unknown)}",
            "Install the version of memhouse that migrated it, or a later one.",
        )
    if plan.edited:
        raise MigrationEdited(
            f"already applied to this database, and changed since: {', '.join(plan.edited)}",
            "Restore the files as they were released, and put the change into a new migration.",
        )


def _report(state: _State, plan: _Plan, checked: bool) -> MigrationReport:
    return MigrationReport(
        checked=checked,
        server_version=state.server_version,
        vector_version=state.vector_version,
        migrations=tuple(script.path for script in plan.pending),
        repeatables=tuple(script.path for script in plan.repeatables),
        skipped=tuple(plan.skipped),
        missing=tuple(plan.missing),
        edited=tuple(plan.edited),
        unknown=tuple(plan.unknown),
        unchanged=plan.unchanged,
    )


# --- applying ------------------------------------------------------------------------------------


class _SqlMigration(Migration):  # type: ignore[misc]
    """A migration whose file is sent whole.

    yoyo would split it into statements; whole, an error's position is a position in the file.
    """

    def __init__(self, released: Script, undo: Script, vector_schema: str | None, source_dir: str) -> None:
        super().__init__(released.migration_id, released.path, source_dir)
        self.released = released
        self.script = _render(released, vector_schema)
        self.undo = _render(undo, vector_schema)

    def load(self) -> None:
        if self.loaded:
            return
        steps = StepCollector(migration=self)
        steps.add_step(lambda connection: _run(connection, self.script), lambda connection: _run(connection, self.undo))
        self.steps = steps.create_steps(use_transactions=True)
        self._depends: set[Migration] = set()


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]
    """yoyo on the one connection that holds the lock.

    yoyo by itself opens a connection for every migration and notes it as applied in a later
    transaction. Here a migration, its note and its checksum are one transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._given = connection
        super().__init__(DatabaseURI("postgresql+psycopg", *[None] * 5, {}), default_migration_table)
        self.ensure_internal_schema_updated()

    def connect(self, dburi: DatabaseURI) -> Connection:
        self.schema = SCHEMA
        return self._given

    @contextmanager
    def lock(self, timeout: int = 10) -> Iterator[None]:
        """The advisory lock is held; a row in a table would outlive a killed process."""
        yield

    def get_log_data(self, migration: Migration | None = None, operation: str = "apply") -> dict[str, Any]:
        """yoyo's log without the name of the user's machine, whose look-up can take seconds."""
        (row_id, user, now) = _row(
            self._given,
            "select pg_catalog.gen_random_uuid()::text, session_user::text, pg_catalog.now() at time zone 'utc'",
        )
        return {
            "id": row_id,
            "migration_id": migration.id if migration else None,
            "migration_hash": migration.hash if migration else None,
            "username": user,
            "hostname": None,
            "created_at_utc": now,
            "operation": operation,
        }

    def apply_one(self, migration: _SqlMigration, force: bool = False, mark: bool = True) -> None:
        with self.transaction():
            migration.process_steps(self, "apply", force=force)
            self._leave_script()
            self.mark_one(migration)
            _note_checksum(self._given, migration.released)

    def rollback_one(self, migration: _SqlMigration, force: bool = False) -> None:
        with self.transaction():
            migration.process_steps(self, "rollback", force=force)
            self._leave_script()
            self.unmark_one(migration)
            self._given.execute(
                sql.SQL("delete from {}.file_checksum where kind <> 'migration' or path = %s").format(
                    sql.Identifier(SCHEMA)
                ),
                (migration.released.path,),
            )

    def _leave_script(self) -> None:
        """Role and search path as yoyo's own statements need them."""
        self._given.execute(sql.SQL("reset role; set local search_path = {}").format(sql.Identifier(SCHEMA)))


def _yoyo_migrations(folder: Path, vector_schema: str | None, scripts: list[Script]) -> MigrationList:
    migrations = []
    for script in scripts:
        undo_path = PurePosixPath(script.path).with_suffix(".rollback.sql")
        undo = Script(str(undo_path), script.kind, (folder / undo_path).read_text(encoding="utf-8"))
        migrations.append(_SqlMigration(script, undo, vector_schema, str(folder / "migrations")))
    return MigrationList(migrations)


def _apply_migrations(connection: Connection, folder: Path, plan: _Plan, state: _State) -> None:
    backend = _Backend(connection)
    for migration in _yoyo_migrations(folder, state.vector_schema, plan.pending):
        logger.info("applying %s", migration.script.path)
        _retry_shared_catalog(partial(backend.apply_one, migration))
    for script in read_scripts(folder):
        if script.kind == "migration" and script.path not in state.checksums and script not in plan.pending:
            # Applied with yoyo's own command, which knows nothing of checksums.
            _note_checksum(connection, script)


def _apply_repeatables(connection: Connection, plan: _Plan) -> None:
    # What a skipped file once made went away with the extension it needs.
    forgotten = [skipped.path for skipped in plan.skipped] + plan.dropped

    def apply() -> None:
        with connection.transaction():
            _run_repeatables(connection, plan.repeatables)
            connection.execute("reset role")
            connection.execute(
                sql.SQL("delete from {}.file_checksum where path = any(%s)").format(sql.Identifier(SCHEMA)),
                (forgotten,),
            )
            for script in plan.repeatables:
                _note_checksum(connection, script)

    _retry_shared_catalog(apply)


def _run_repeatables(connection: Connection, scripts: list[Script]) -> None:
    """Runs the files in path order; one that uses what a later file makes waits for it."""
    waiting = scripts
    while waiting:
        failures: list[ScriptFailed] = []
        still_waiting: list[Script] = []
        for script in waiting:
            logger.info("applying %s", script.path)
            try:
                _run(connection, script, as_owner=script.needs != "plpython3u")
            except ScriptFailed as error:
                if not isinstance(error.__cause__, _NOT_THERE_YET):
                    raise
                failures.append(error)
                still_waiting.append(script)
        if len(still_waiting) == len(waiting):
            raise failures[0]
        waiting = still_waiting


def _note_checksum(connection: Connection, script: Script) -> None:
    connection.execute(
        sql.SQL(
            """insert into {}.file_checksum as f (path, kind, sha256) values (%s, %s, %s)
               on conflict (path) do update
               set kind = excluded.kind, sha256 = excluded.sha256, applied_at = pg_catalog.now()"""
        ).format(sql.Identifier(SCHEMA)),
        (script.path, script.kind, script.sha256),
    )


def _render(script: Script, vector_schema: str | None) -> Script:
    """The text with pgvector's schema in it, so that moving the extension counts as a change."""
    return Script(script.path, script.kind, script.text.replace(VECTOR_SCHEMA_TOKEN, vector_schema or "public"))


def _run(connection: Connection, script: Script, as_owner: bool = False) -> None:
    """Runs a file as one string of statements, under settings that no earlier file has touched."""
    connection.execute(
        sql.SQL(
            """reset role;
               set local search_path = pg_catalog, memhouse, pg_temp;
               set local check_function_bodies = on;"""
        )
    )
    try:
        with connection.transaction():
            if as_owner:
                connection.execute(sql.SQL("set local role {}").format(sql.Identifier(OWNER)))
            connection.execute(script.text, prepare=False)
    except psycopg.Error as error:
        if connection.closed:
            raise
        user = connection.info.user
        hint = None
        if isinstance(error, errors.InsufficientPrivilege) and not _is_superuser(connection):
            hint = (
                f"{user} needs CREATEROLE and CREATE on the database, or to be a superuser. "
                f"Where another role created memhouse's roles on this server: grant {OWNER} to {user};"
            )
        raise ScriptFailed(script.path, _failing_line(connection, script, error, as_owner), error, hint) from error


def _failing_line(connection: Connection, script: Script, error: psycopg.Error, as_owner: bool) -> int | None:
    """The line of the error; where the server gives no position, that of the failing statement."""
    if error.diag.statement_position:
        return script.text.count("\n", 0, int(error.diag.statement_position) - 1) + 1
    start = 0
    with connection.transaction(force_rollback=True):
        if as_owner:
            connection.execute(sql.SQL("set local role {}").format(sql.Identifier(OWNER)))
        for statement in sqlparse.split(script.text):
            start = script.text.index(statement, start)
            try:
                with connection.transaction():
                    connection.execute(statement, prepare=False)
            except psycopg.Error as again:
                # Another error than the first would be one of splitting the file.
                if again.sqlstate != error.sqlstate:
                    return None
                comments = re.match(r"(\s*--[^\n]*\n|\s+)*", statement)
                return script.text.count("\n", 0, start + (comments.end() if comments else 0)) + 1
            start += len(statement)
    return None


def _retry_shared_catalog(apply: Callable[[], None]) -> None:
    """Runs `apply` again when another database's migration changed the same roles meanwhile."""
    for attempt in range(1, SHARED_CATALOG_ATTEMPTS + 1):
        try:
            apply()
            return
        except ScriptFailed as error:
            cause = str(error.__cause__)
            raced = "tuple concurrently" in cause or "pg_authid_rolname_index" in cause or "pg_auth_members" in cause
            if not raced or attempt == SHARED_CATALOG_ATTEMPTS:
                raise
            logger.info("another database of this server changed the same roles; trying again")
            time.sleep(0.2 * attempt)


def _is_superuser(connection: Connection) -> bool:
    return bool(_row(connection, "select rolsuper from pg_catalog.pg_roles where rolname = current_user")[0])


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _row(connection: Connection, query: str, *parameters: Any) -> tuple[Any, ...]:
    row = connection.execute(query, parameters or None).fetchone()
    assert row is not None
    return row
