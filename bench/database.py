"""A database for one benchmark: made beside that of the DSN, migrated, and dropped in the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import make_conninfo

from memhouse_thin.migrate import migrate


@contextmanager
def scratch_database(dsn: str, name: str, *, keep: bool = False) -> Iterator[str]:
    """The DSN of the new database; with ``keep`` an old one is used again and left."""
    target = make_conninfo(dsn, dbname=name)
    with psycopg.connect(dsn, autocommit=True) as admin:
        there = admin.execute("select from pg_database where datname = %s", (name,)).fetchone() is not None
        if there and not keep:
            admin.execute(f"drop database {name} with (force)")
        if not there or not keep:
            admin.execute(f"create database {name}")
        try:
            migrate(target)
            yield target
        finally:
            if not keep:
                admin.execute(f"drop database if exists {name} with (force)")
