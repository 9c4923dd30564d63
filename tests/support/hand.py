"""Somebody who writes and reads in a house, each call a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from support.house import House


class Hand:
    """Somebody at work in a house: every call a transaction of its own, under one credential."""

    def __init__(self, house: House, credential: str | None = "bot") -> None:
        self.house = house
        self.token = house.tokens.get(credential) if credential else None
        self.conn = psycopg.connect(house.as_user("app_writer"), autocommit=True)
        # Reads look into tables as well.
        self.reading = psycopg.connect(house.as_user("app_author"), autocommit=True)

    def close(self) -> None:
        self.conn.close()
        self.reading.close()

    def write(self, query: str, *parameters: object) -> Any:
        """The first value of a query in a write posture."""
        with self.conn.transaction():
            self.conn.execute("select from memhouse.begin_write(%s)", (self.token,))
            return self._value(query, parameters)

    def read(self, query: str, *parameters: object, **posture: object) -> list[tuple]:
        """The rows of a query in a read posture."""
        named = "".join(f", p_{name} => %({name})s" for name in posture)
        with self.reading.transaction():
            self.reading.execute(f"select from memhouse.begin_read(%(token)s{named})", {"token": self.token, **posture})
            return self.reading.execute(query, parameters or None).fetchall()

    def look(self, paths: dict[str, str], parameters: dict[str, object], **posture: object) -> dict[str, set[tuple]]:
        """The rows of several queries in one read posture."""
        named = "".join(f", p_{name} => %({name})s" for name in posture)
        with self.reading.transaction():
            self.reading.execute(f"select from memhouse.begin_read(%(token)s{named})", {"token": self.token, **posture})
            return {path: set(self.reading.execute(query, parameters).fetchall()) for path, query in paths.items()}

    def remember(self, statement: str, **arguments: object) -> Any:
        given = {"scope": "acme", "statement": statement, **arguments}
        named = ", ".join(f"p_{name} => %({name})s" for name in given)
        with self.conn.transaction():
            self.conn.execute("select from memhouse.begin_write(%s)", (self.token,))
            return self.conn.execute(f"select memhouse.remember({named})", given).fetchone()[0]

    def move(self, id: Any, state: str, reason: str | None = None) -> Any:
        return self.write("select memhouse.transition(%s, %s, %s)", id, state, reason)

    def relate(self, start: Any, end: Any, type: str) -> None:
        self.write("select memhouse.relate(%s, %s, %s)", start, end, type)

    def history(self, id: Any) -> list[tuple]:
        with self.conn.transaction():
            self.conn.execute("select from memhouse.begin_write(%s)", (self.token,))
            return self.conn.execute("select * from memhouse.lifecycle_history(%s)", (id,)).fetchall()

    def state(self, id: Any) -> str | None:
        """The stored state, past every policy."""
        rows = self.house.execute("select lifecycle_state::text from memhouse.knowledge where knowledge_id = %s", id)
        return rows[0][0] if rows else None

    def sees(self, id: Any, **posture: object) -> bool:
        """Whether a direct select and a search both show the statement; they must agree."""
        rows = self.read("select statement from memhouse.knowledge where knowledge_id = %s", id, **posture)
        searched = self.read(
            "select exists (select from memhouse.search(' ', p_profile => 'thorough', p_limit => 100) where id = %s)",
            id,
            **posture,
        )
        assert searched[0][0] == bool(rows)
        return bool(rows)

    def _value(self, query: str, parameters: tuple[object, ...]) -> Any:
        row = self.conn.execute(query, parameters or None).fetchone()
        return None if row is None else row[0]


@pytest.fixture
def hand(house: House) -> Hand:
    """A member of scope acme and all below it, who reads for eli."""
    return _hired(house, "worker", "member")


@pytest.fixture
def curator(house: House) -> Hand:
    return _hired(house, "curator", "curator")


def _hired(house: House, name: str, role: str) -> Hand:
    if name not in house.tokens:
        house.credential(name, ("acme", role), peer_key="eli", clearance="restricted")
    return Hand(house, name)


@pytest.fixture
def sqlstate() -> Callable[..., str]:
    """The SQLSTATE with which a call fails."""

    def of(call: Callable[..., object], *arguments: object, **named: object) -> str:
        with pytest.raises(psycopg.Error) as caught:
            call(*arguments, **named)
        return caught.value.sqlstate

    return of
