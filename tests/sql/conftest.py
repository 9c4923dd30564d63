"""An account in a transaction that is rolled back, and ways to read it as an application would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from support.house import house, own_house  # noqa: F401
from support.memory import Memory


@pytest.fixture
def memory(db: psycopg.Connection) -> Memory:
    def one(query: str) -> Any:
        return db.execute(query).fetchone()[0]

    one("select memhouse.create_account('lab')")
    for scope, parent in (("lab", None), ("lab/a", "lab"), ("lab/b", "lab")):
        db.execute("select memhouse.create_scope('lab', %s, %s)", (scope, parent))
    for peer in ("ada", "bob"):
        db.execute("select memhouse.create_peer('lab', %s)", (peer,))
    reader = one("select memhouse.create_credential('lab', 'reader', 'machine', 'ada', 'personal')")
    writer = one("select memhouse.create_credential('lab', 'writer', 'machine', null, 'restricted')")
    db.execute("select memhouse.grant_scope('lab', 'reader', 'lab')")
    db.execute("select memhouse.grant_scope('lab', 'writer', 'lab', 'curator')")
    return Memory(db, reader, writer)


@pytest.fixture
def fails(db: psycopg.Connection) -> Callable[..., psycopg.Error]:
    """Runs a statement that must fail with a SQLSTATE, in a savepoint; returns the error."""

    def run(sqlstate: str, query: str, *parameters: object) -> psycopg.Error:
        with pytest.raises(psycopg.Error) as caught, db.transaction():
            db.execute(query, parameters or None)
        error = caught.value
        assert error.sqlstate == sqlstate, f"{error.sqlstate}: {error}"
        if sqlstate.startswith("MH"):
            assert error.diag.message_detail and error.diag.message_hint
        return error

    return run
