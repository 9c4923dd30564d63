"""Fixtures: real servers of every kind found here, a migrated database, a transaction per test."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from memhouse_thin.migrate import migrate
from support.roles import create_logins
from support.servers import CRON_DATABASE, TIERS, Installation, Server, installations, required_tiers, running

_INSTALLATIONS = {installation.id: installation for installation in installations()}
_FOUND_TIERS = {tier for installation in _INSTALLATIONS.values() for tier in installation.tiers}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate",
        action="store_true",
        help="write the generated files (docs/reference.md, tests/schema/privileges.txt) instead of comparing them",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tier(name): needs a server of that tier (pg_cron, plpython3u)")
    unmet = [tier for tier in required_tiers() if tier not in _FOUND_TIERS]
    if unmet:
        raise pytest.UsageError(f"no server here has the tiers that must be tested: {', '.join(unmet)}")


def pytest_report_header() -> list[str]:
    servers = [
        f"{server.id} ({', '.join(t for t in TIERS if t in server.tiers)})" for server in _INSTALLATIONS.values()
    ]
    missing = [tier for tier in TIERS if tier not in _FOUND_TIERS]
    return [
        f"servers: {'; '.join(servers) or 'none'}",
        f"tiers not tested: {', '.join(missing)} (make server installs them)" if missing else "tiers: all tested",
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that uses a server runs on each one that has the tier it needs."""
    if "server" not in metafunc.fixturenames:
        return
    needed = {mark.args[0] for mark in metafunc.definition.iter_markers("tier")}
    suitable = [server.id for server in _INSTALLATIONS.values() if needed <= server.tiers]
    # An empty list makes pytest skip the test and name the fixture it could not fill.
    metafunc.parametrize("server", suitable, indirect=True, scope="session")


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A running server, one of each kind found."""
    installation: Installation = _INSTALLATIONS[request.param]
    with running(installation) as started:
        yield started


@pytest.fixture(scope="session")
def database(server: Server) -> str:
    """The name of a migrated database, kept without connections as the template of all others."""
    name = server.create_database()
    if "plpython3u" in server.tiers:
        with server.connect(name) as connection:
            connection.execute("create extension plpython3u")
    migrate(server.dsn(name))
    with server.connect("postgres") as connection:
        create_logins(connection)
    return name


@pytest.fixture
def fresh_database(server: Server, database: str) -> Iterator[str]:
    """The DSN of a migrated database of the test's own, for tests that commit."""
    name = server.create_database(template=database)
    yield server.dsn(name)
    server.drop_database(name)


@pytest.fixture
def empty_database(server: Server) -> Iterator[str]:
    """The DSN of a database of the test's own in which nothing has been migrated."""
    name = server.create_database()
    yield server.dsn(name)
    server.drop_database(name)


@pytest.fixture(scope="session")
def shared_database(server: Server, database: str) -> str:
    """The name of a migrated database in which every test rolls back what it does."""
    return server.create_database(template=database)


@pytest.fixture
def db(server: Server, shared_database: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection, inside a transaction that is rolled back."""
    with server.connect(shared_database, autocommit=False) as connection:
        yield connection
        connection.rollback()


@pytest.fixture(scope="session")
def cron_database(server: Server, database: str) -> str:
    """The DSN of the one database of a server that pg_cron runs in, migrated; mark the test tier("pg_cron")."""
    dsn = server.dsn(CRON_DATABASE)
    migrate(dsn)
    return dsn


@pytest.fixture
def regenerate(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regenerate"))
