"""`migrate`: what it applies, what it refuses, and who may run it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memhouse_thin.migrate import (
    DatabaseNewer,
    ExtensionMissing,
    MigrationEdited,
    PermissionMissing,
    ScriptFailed,
    Skipped,
    database_folder,
    migrate,
    rollback,
)
from support.servers import Server, running

ROLES = """
do $$ begin
    if not exists (select from pg_catalog.pg_roles where rolname = 'memhouse_owner') then
        create role memhouse_owner nologin;
    end if;
    execute pg_catalog.format('grant memhouse_owner to %I', current_user);
end $$;
create schema memhouse authorization memhouse_owner;
"""


def write(folder: Path, path: str, text: str) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small db folder: two migrations, two functions, one policy file."""
    write(tmp_path, "migrations/0001.roles.sql", ROLES)
    write(tmp_path, "migrations/0001.roles.rollback.sql", "drop schema memhouse cascade;")
    write(
        tmp_path,
        "migrations/0002.note.sql",
        "create table memhouse.note (id int primary key, v @extschema:vector@.vector);",
    )
    write(tmp_path, "migrations/0002.note.rollback.sql", "drop table memhouse.note;")
    write(tmp_path, "functions/10_reader/one.sql", function("one", "1"))
    write(tmp_path, "functions/10_reader/two.sql", function("two", "2"))
    write(tmp_path, "policies/privileges.sql", "revoke all on all functions in schema memhouse from public;")
    return tmp_path


def function(name: str, result: str) -> str:
    return f"create or replace function memhouse.{name}() returns int language sql return {result};\n"


def value(dsn: str, query: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(query).fetchone()
        return row and row[0]


def test_everything_is_applied_once(empty_database: str, folder: Path) -> None:
    first = migrate(empty_database, folder=folder)
    assert first.migrations == ("migrations/0001.roles.sql", "migrations/0002.note.sql")
    assert first.repeatables == (
        "functions/10_reader/one.sql",
        "functions/10_reader/two.sql",
        "policies/privileges.sql",
    )
    assert value(empty_database, "select memhouse.one() + memhouse.two()") == 3
    assert (
        value(empty_database, "select pg_get_userbyid(proowner) from pg_proc where proname = 'one'") == "memhouse_owner"
    )

    second = migrate(empty_database, folder=folder)
    assert (second.migrations, second.repeatables, second.unchanged) == ((), (), 3)
    assert not second.drift


def test_a_changed_function_brings_the_policies_back(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    write(folder, "functions/10_reader/two.sql", function("two", "20"))
    assert migrate(empty_database, folder=folder).repeatables == (
        "functions/10_reader/two.sql",
        "policies/privileges.sql",
    )
    assert value(empty_database, "select memhouse.two()") == 20


def test_a_function_waits_for_one_of_a_later_file(empty_database: str, folder: Path) -> None:
    write(folder, "functions/10_reader/a.sql", function("a", "memhouse.zero() + 1"))
    write(folder, "functions/10_reader/zero.sql", function("zero", "0"))
    migrate(empty_database, folder=folder)
    assert value(empty_database, "select memhouse.a()") == 1


def test_a_migration_brings_every_repeatable_back(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    write(folder, "migrations/0003.drop.sql", "drop function memhouse.one();")
    write(folder, "migrations/0003.drop.rollback.sql", "")
    report = migrate(empty_database, folder=folder)
    assert report.migrations == ("migrations/0003.drop.sql",)
    assert len(report.repeatables) == 3
    assert value(empty_database, "select memhouse.one()") == 1


def test_check_reports_and_changes_nothing(empty_database: str, folder: Path) -> None:
    report = migrate(empty_database, check=True, folder=folder)
    assert report.drift and len(report.migrations) == 2 and len(report.repeatables) == 3
    assert value(empty_database, "select to_regnamespace('memhouse_migrations')") is None

    migrate(empty_database, folder=folder)
    assert not migrate(empty_database, check=True, folder=folder).drift

    write(folder, "functions/10_reader/two.sql", function("two", "20"))
    report = migrate(empty_database, check=True, folder=folder)
    assert report.drift and report.repeatables[0] == "functions/10_reader/two.sql"
    assert value(empty_database, "select memhouse.two()") == 2


def test_a_vanished_function_is_drift_until_a_migration_drops_it(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    (folder / "functions/10_reader/two.sql").unlink()
    for check in (True, False, True):
        report = migrate(empty_database, check=check, folder=folder)
        assert report.drift and report.missing == ("functions/10_reader/two.sql",)

    write(folder, "migrations/0003.drop.sql", "drop function memhouse.two();")
    write(folder, "migrations/0003.drop.rollback.sql", "")
    migrate(empty_database, folder=folder)
    assert not migrate(empty_database, check=True, folder=folder).drift


def test_an_edited_migration_is_refused(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    write(folder, "migrations/0002.note.sql", "create table memhouse.note (id bigint primary key);")
    report = migrate(empty_database, check=True, folder=folder)
    assert report.drift and report.edited == ("migrations/0002.note.sql",)
    with pytest.raises(MigrationEdited, match=r"migrations/0002\.note\.sql"):
        migrate(empty_database, folder=folder)


def test_line_ends_are_no_edit(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    for path in folder.rglob("*.sql"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert not migrate(empty_database, check=True, folder=folder).drift


def test_a_database_ahead_of_the_files_is_refused(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    for path in folder.glob("migrations/0002*"):
        path.unlink()
    assert migrate(empty_database, check=True, folder=folder).unknown == ("0002.note",)
    with pytest.raises(DatabaseNewer, match=r"0002\.note"):
        migrate(empty_database, folder=folder)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("select 1;\n\nselekt 2;\n", 3, id="syntax"),
        pytest.param(
            function("fine", "1")
            + "\ncreate or replace function memhouse.bad() returns int language sql\n    return nothing;\n",
            4,
            id="unknown column",
        ),
        pytest.param(
            "-- one\nselect 1;\n-- two\nalter function memhouse.absent() owner to memhouse_owner;\n",
            4,
            id="no position",
        ),
        pytest.param(
            "create or replace function memhouse.p() returns int language plpgsql as $$\nbegin\n  retrun 1;\nend $$\n",
            3,
            id="plpgsql",
        ),
    ],
)
def test_a_failure_names_file_and_line_and_applies_nothing(
    empty_database: str, folder: Path, text: str, line: int
) -> None:
    migrate(empty_database, folder=folder)
    write(folder, "functions/10_reader/one.sql", function("one", "100"))
    write(folder, "functions/20_admission/broken.sql", text)
    with pytest.raises(ScriptFailed) as failure:
        migrate(empty_database, folder=folder)
    assert (failure.value.path, failure.value.line) == ("functions/20_admission/broken.sql", line)
    assert f"functions/20_admission/broken.sql:{line}: " in str(failure.value)
    assert value(empty_database, "select memhouse.one()") == 1


def test_a_failed_migration_leaves_no_trace(empty_database: str, folder: Path) -> None:
    write(folder, "migrations/0002.note.sql", "create table memhouse.note (id int);\nselect 1 / 0;\n")
    with pytest.raises(ScriptFailed) as failure:
        migrate(empty_database, folder=folder)
    assert (failure.value.path, failure.value.line) == ("migrations/0002.note.sql", 2)
    assert value(empty_database, "select to_regclass('memhouse.note')") is None
    write(folder, "migrations/0002.note.sql", "create table memhouse.note (id int);")
    assert migrate(empty_database, folder=folder).migrations == ("migrations/0002.note.sql",)


def test_rollback_and_again(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    assert rollback(empty_database, folder=folder) == ("0002.note",)
    assert value(empty_database, "select to_regclass('memhouse.note')") is None
    report = migrate(empty_database, folder=folder)
    assert report.migrations == ("migrations/0002.note.sql",) and len(report.repeatables) == 3
    assert rollback(empty_database, count=9, folder=folder) == ("0002.note", "0001.roles")
    assert value(empty_database, "select to_regnamespace('memhouse')") is None
    assert len(migrate(empty_database, folder=folder).migrations) == 2


def test_concurrent_calls_wait_for_one_another(empty_database: str, folder: Path) -> None:
    write(folder, "migrations/0002.note.sql", "create table memhouse.note (id int); select pg_catalog.pg_sleep(0.3);")
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: migrate(empty_database, folder=folder), range(4)))
    assert sorted(len(report.migrations) for report in reports) == [0, 0, 0, 2]


def test_databases_of_one_server_at_the_same_time(server: Server, tmp_path: Path) -> None:
    """Roles belong to the server, so migrations of several databases meet there."""
    databases = [server.create_database() for _ in range(3)]
    try:
        with ThreadPoolExecutor(3) as pool:
            reports = list(pool.map(lambda name: migrate(server.dsn(name)), databases))
        assert all(report.migrations for report in reports)
    finally:
        for name in databases:
            server.drop_database(name)


def test_pgvector_missing_says_what_to_type(server: Server, empty_database: str) -> None:
    name = conninfo_to_dict(empty_database)["dbname"]
    with server.connect("postgres") as connection:
        connection.execute("create role plain_dba login createrole")
        connection.execute(sql.SQL("grant create on database {} to plain_dba").format(sql.Identifier(name)))
    try:
        with pytest.raises(ExtensionMissing, match="create extension vector;"):
            migrate(make_conninfo(empty_database, user="plain_dba"))
    finally:
        with server.connect("postgres") as connection:
            connection.execute(sql.SQL("revoke all on database {} from plain_dba").format(sql.Identifier(name)))
            connection.execute("drop role plain_dba")


def test_no_privileges_says_what_to_type(server: Server, empty_database: str) -> None:
    with psycopg.connect(empty_database) as connection:
        connection.execute("create extension vector")
    with server.connect("postgres") as connection:
        connection.execute("create role nobody_special login")
    try:
        with pytest.raises(PermissionMissing, match="grant create on database"):
            migrate(make_conninfo(empty_database, user="nobody_special"))
    finally:
        with server.connect("postgres") as connection:
            connection.execute("drop role nobody_special")


def test_extension_in_a_schema_of_its_own(empty_database: str) -> None:
    with psycopg.connect(empty_database) as connection:
        connection.execute('create schema "Ext ensions"; grant usage on schema "Ext ensions" to public')
        connection.execute('create extension vector schema "Ext ensions"')
    migrate(empty_database)
    assert not migrate(empty_database, check=True).drift


def test_moving_the_extension_is_drift(empty_database: str, folder: Path) -> None:
    write(
        folder,
        "functions/10_reader/one.sql",
        "create or replace function memhouse.one() returns text language sql return '@extschema:vector@';",
    )
    migrate(empty_database, folder=folder)
    with psycopg.connect(empty_database) as connection:
        connection.execute("create schema ext; alter extension vector set schema ext")
    assert migrate(empty_database, check=True, folder=folder).drift
    migrate(empty_database, folder=folder)
    assert value(empty_database, "select memhouse.one()") == "ext"


def test_files_wait_for_their_extension(empty_database: str, folder: Path) -> None:
    write(folder, "functions/90_models/model.sql", function("model", "1"))
    write(folder, "functions/80_jobs/schedule.pg_cron.sql", function("schedule", "1"))
    report = migrate(empty_database, folder=folder)
    assert report.skipped == (
        Skipped("functions/80_jobs/schedule.pg_cron.sql", "extension pg_cron"),
        Skipped("functions/90_models/model.sql", "extension plpython3u"),
    )
    assert not migrate(empty_database, check=True, folder=folder).drift


@pytest.mark.tier("plpython3u")
def test_a_waiting_file_is_picked_up_and_forgotten(empty_database: str, folder: Path) -> None:
    path = "functions/90_models/model.sql"
    write(folder, path, "create or replace function memhouse.model() returns int language plpython3u as 'return 1';")
    migrate(empty_database, folder=folder)
    with psycopg.connect(empty_database) as connection:
        connection.execute("create extension plpython3u")
    assert path in migrate(empty_database, folder=folder).repeatables
    with psycopg.connect(empty_database) as connection:
        connection.execute("drop extension plpython3u cascade")
    assert migrate(empty_database, folder=folder).skipped
    with psycopg.connect(empty_database) as connection:
        connection.execute("create extension plpython3u")
    assert path in migrate(empty_database, folder=folder).repeatables
    assert value(empty_database, "select memhouse.model()") == 1


@pytest.mark.tier("pg_cron")
def test_pg_cron_files_apply_where_pg_cron_is(cron_database: str, folder: Path) -> None:
    shutil.copytree(database_folder(), folder / "real")
    path = "functions/80_jobs/_probe.pg_cron.sql"
    write(folder / "real", path, "create or replace view memhouse._probe as select 1 as one;")
    report = migrate(cron_database, folder=folder / "real")
    assert path in report.repeatables


@pytest.fixture
def virgin_server(server: Server) -> Iterator[Server]:
    """A server that no role of memhouse exists on yet."""
    with running(server.installation) as started:
        yield started


def test_ordinary_roles_migrate(virgin_server: Server) -> None:
    """A role with CREATEROLE and a database of its own, to which a superuser added pgvector."""
    with virgin_server.connect("postgres") as connection:
        connection.execute("create role first_dba login createrole")
        connection.execute("create role second_dba login createrole")
    first = virgin_server.create_database(owner="first_dba")
    second = virgin_server.create_database(owner="second_dba")
    for name in (first, second):
        with virgin_server.connect(name) as connection:
            connection.execute("create extension vector")

    migrate(virgin_server.dsn(first, "first_dba"))
    assert not migrate(virgin_server.dsn(first, "first_dba"), check=True).drift

    # The roles are there now, and are the first role's to pass on (where CREATEROLE alone is not enough).
    if virgin_server.version >= 16:
        with pytest.raises(ScriptFailed) as failure:
            migrate(virgin_server.dsn(second, "second_dba"))
        assert "grant memhouse_owner to second_dba;" in str(failure.value)
        with virgin_server.connect("postgres", "first_dba") as connection:
            connection.execute("grant memhouse_owner to second_dba")
    migrate(virgin_server.dsn(second, "second_dba"))
    assert not migrate(virgin_server.dsn(second, "second_dba"), check=True).drift
    with pytest.raises(PermissionMissing, match="grant first_dba to second_dba;"):
        migrate(virgin_server.dsn(first, "second_dba"))


def test_statement_timeout_of_the_role_does_not_end_a_migration(empty_database: str, folder: Path) -> None:
    write(folder, "migrations/0002.note.sql", "create table memhouse.note (id int); select pg_catalog.pg_sleep(0.3);")
    migrate(make_conninfo(empty_database, options="-c statement_timeout=200"), folder=folder)


def test_the_real_migrations_roll_back_and_again(empty_database: str) -> None:
    first = migrate(empty_database)
    undone = rollback(empty_database, count=len(first.migrations))
    assert len(undone) == len(first.migrations)
    assert value(empty_database, "select to_regnamespace('memhouse')") is None
    assert migrate(empty_database).migrations == first.migrations


def test_every_migration_has_a_rollback() -> None:
    folder = database_folder() / "migrations"
    migrations = {path.stem for path in folder.glob("*.sql") if not path.name.endswith(".rollback.sql")}
    rollbacks = {path.name.removesuffix(".rollback.sql") for path in folder.glob("*.rollback.sql")}
    assert migrations and migrations == rollbacks
