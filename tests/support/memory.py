"""An account in an open transaction, and what tests of the SQL functions say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg


@dataclass
class Memory:
    """Account lab: scopes lab, lab/a, lab/b; peers ada and bob. `reader` reads as ada with clearance personal."""

    conn: psycopg.Connection
    reader: str
    writer: str

    def call(self, query: str, *parameters: object) -> Any:
        row = self.conn.execute(query, parameters or None).fetchone()
        return row and row[0]

    def write(self) -> None:
        self.conn.execute("select memhouse.begin_write(%s)", (self.writer,))

    def remember(self, statement: str, scope: str = "lab/a", **named: object) -> Any:
        named = {"scope": scope, "statement": statement, "sensitivity": "public", **named}
        casts = {"confidence": "::real"}
        arguments = ", ".join(f"p_{name} => %({name})s{casts.get(name, '')}" for name in named)
        return self.conn.execute(f"select memhouse.remember({arguments})", named).fetchone()[0]

    def read(self, scope: str | None = None, credential: str | None = None, peer: str | None = None) -> None:
        self.conn.execute("select memhouse.begin_read(%s, %s, %s)", (credential or self.reader, peer, scope))

    def internal(self) -> None:
        self.conn.execute("select memhouse.begin_internal('lab')")

    def report(self, query: str, **named: object) -> dict[str, Any]:
        # Others use this machine while the tests run: only a test of deadlines shall meet one.
        named = {"query": query, "deadline_ms": 30_000, **named}
        arguments = ", ".join(f"p_{name} => %({name})s" for name in named)
        return self.conn.execute(f"select memhouse.search_report({arguments})", named).fetchone()[0]

    def statements(self, query: str, **named: object) -> list[str]:
        return [hit["statement"] for hit in self.report(query, **named)["candidates"]]

    def profile(self, name: str, config: str, scope: str | None = None) -> int:
        return self.call("select memhouse.set_profile('lab', %s, %s, %s)", scope, name, config)
