"""Acting as another role within a test's transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

# Login roles of every test server, as a DBA would make them for an application.
LOGINS = {
    "app_reader": ("memhouse_reader",),
    "app_writer": ("memhouse_writer",),
    # Who types SQL: selects from tables, and one that writes as well.
    "app_analyst": ("memhouse_analyst",),
    "app_author": ("memhouse_writer", "memhouse_analyst"),
}


def create_logins(connection: psycopg.Connection) -> None:
    for login, memberships in LOGINS.items():
        connection.execute(sql.SQL("create role {} login").format(sql.Identifier(login)))
        for role in memberships:
            connection.execute(sql.SQL("grant {} to {}").format(sql.Identifier(role), sql.Identifier(login)))


@contextmanager
def as_role(connection: psycopg.Connection, role: str) -> Iterator[psycopg.Connection]:
    """Everything inside runs as if `role` had logged in; needs an open transaction.

    After an error inside, the transaction is the caller's to roll back, which also ends the role.
    """
    connection.execute(sql.SQL("set local session authorization {}").format(sql.Identifier(role)))
    yield connection
    connection.execute("set local session authorization default")
