"""A world to test admission in, and who sees what in it, said once more without the database.

`admitted` is written from the table of callers alone. It shares nothing with the SQL it is compared with.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

SENSITIVITIES = ("public", "internal", "personal", "restricted")
LEVELS = ("peer", "scope", "account")
STATES = (
    "proposed", "provisional", "held", "active", "needs_revalidation", "contested",
    "superseded", "deprecated", "expired", "rejected", "redacted", "retracted",
)  # fmt: skip
EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
NOW = datetime(2100, 1, 1, tzinfo=UTC)  # later than any instant a test asks about


@dataclass(frozen=True)
class Row:
    """A statement: what it is, and when it was active or provisional (None: still)."""

    id: uuid.UUID
    account: str
    scope: str
    subject: str | None
    sensitivity: str
    level: str
    state: str
    text: str
    active: tuple[tuple[datetime, datetime | None], ...] = ()
    provisional: tuple[tuple[datetime, datetime | None], ...] = ()
    expired: bool = False
    revalidate_at: datetime | None = None


@dataclass(frozen=True)
class Caller:
    """Who asks: the account, what is granted and denied, the clearance, and the peer read for."""

    account: str
    posture: str  # peer, public_only, internal
    peer: str | None
    clearance: str
    granted: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    asked: str | None = None
    known_at: datetime | None = None


@dataclass
class Tree:
    """Scopes by account, each with its path from the root down to itself."""

    paths: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def add(self, account: str, scope: str, parent: str | None = None) -> None:
        above = self.paths[account, parent] if parent else ()
        self.paths[account, scope] = (*above, scope)

    def authorised(self, caller: Caller) -> set[str]:
        scopes = {scope: set(path) for (account, scope), path in self.paths.items() if account == caller.account}
        if caller.posture == "internal":
            return set(scopes)
        allowed = {s for s, path in scopes.items() if path & caller.granted and not path & caller.denied}
        if caller.asked is None:
            return allowed
        return allowed & scopes[caller.asked] if caller.asked in allowed else set()


def admitted(row: Row, caller: Caller, tree: Tree) -> bool:
    """Whether the row reaches the caller."""
    if row.account != caller.account or row.scope not in tree.authorised(caller):
        return False
    if SENSITIVITIES.index(row.sensitivity) > SENSITIVITIES.index(caller.clearance):
        return False
    if row.state == "redacted" or row.expired:
        return False

    own = row.subject is not None and row.subject == caller.peer
    believed = _holds(_until(row.active, row.revalidate_at), caller.known_at)
    if not believed and not (own and _holds(row.provisional, caller.known_at)):
        return False

    if caller.posture == "internal":
        return True
    if caller.posture == "public_only":
        return row.sensitivity == "public"
    return own or row.sensitivity in ("public", "internal") or row.subject is None or row.level in ("scope", "account")


def _holds(periods: Iterable[tuple[datetime, datetime | None]], instant: datetime | None) -> bool:
    if instant is None:
        return any(end is None for _, end in periods)
    return any(start <= instant and (end is None or instant < end) for start, end in periods)


def _until(
    periods: Iterable[tuple[datetime, datetime | None]], date: datetime | None
) -> list[tuple[datetime, datetime | None]]:
    """The periods, cut off at a date that has passed."""
    if date is None or date > datetime.now(UTC):
        return list(periods)
    return [(start, date if end is None else min(end, date)) for start, end in periods if start < date]


def ranges(periods: Iterable[tuple[datetime, datetime | None]]) -> str:
    """Periods as PostgreSQL writes a tstzmultirange."""
    return "{" + ",".join(f"[{start.isoformat()},{end.isoformat() if end else ''})" for start, end in periods) + "}"


def store(conn: psycopg.Connection, rows: list[Row]) -> None:
    """Rows as they would stand after any history, past every function; as superuser."""
    ago = datetime.now(UTC) - timedelta(days=1)
    columns: list[list[Any]] = [
        [r.account, r.id, r.scope, r.subject, r.sensitivity, r.level, r.state, r.text, ranges(r.active),
         ranges(r.provisional), ago if r.expired else None, r.revalidate_at]
        for r in rows
    ]  # fmt: skip
    conn.execute(
        """
        insert into memhouse.knowledge (
            account_id, knowledge_id, scope_id, subject_peer_id, kind, statement, sensitivity, target_level,
            lifecycle_state, active_during, provisional_during, expires_at, revalidate_at, confidence)
        select a.account_id, r.id, s.scope_id, p.peer_id, 'fact', r.statement, r.sensitivity::memhouse.sensitivity,
            r.level::memhouse.target_level, r.state::memhouse.lifecycle_state,
            r.active::tstzmultirange, r.provisional::tstzmultirange, r.expires_at, r.revalidate_at, 1
        from unnest(%s::text[], %s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],
                    %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[])
            as r (account, id, scope, subject, sensitivity, level, state, statement, active, provisional, expires_at, revalidate_at)
        join memhouse.account as a on a.account_key = r.account
        join memhouse.scope as s on s.account_id = a.account_id and s.scope_key = r.scope
        left join memhouse.peer as p on p.account_id = a.account_id and p.peer_key = r.subject
        """,
        [list(column) for column in zip(*columns, strict=True)],
    )
    conn.execute(
        """
        insert into memhouse.promotion (account_id, promotion_id, knowledge_id, target_level, state, decided_at)
        select k.account_id, memhouse.uuid_v7(), k.knowledge_id, k.target_level, 'consented', now()
        from memhouse.knowledge as k
        where k.subject_peer_id is not null and k.target_level > 'peer' and k.knowledge_id = any (%s)
        """,
        ([r.id for r in rows],),
    )


def create_account(
    conn: psycopg.Connection, tree: Tree, account: str, scopes: dict[str, str | None], peers: Iterable[str]
) -> None:
    conn.execute("select memhouse.create_account(%s)", (account,))
    for scope, parent in scopes.items():
        conn.execute("select memhouse.create_scope(%s, %s, %s)", (account, scope, parent))
        tree.add(account, scope, parent)
    for peer in peers:
        conn.execute("select memhouse.create_peer(%s, %s)", (account, peer))


def create_credential(
    conn: psycopg.Connection, account: str, name: str, *, granted: Iterable[str] = (), denied: Iterable[str] = (),
    role: str = "reader", **options: Any,
) -> str:  # fmt: skip
    """A credential with its grants; its token."""
    arguments = {"account": account, "name": name, **options}
    named = ", ".join(f"p_{key} => %({key})s" for key in arguments)
    (token,) = conn.execute(f"select memhouse.create_credential({named})", arguments).fetchone()
    for scope in granted:
        conn.execute("select memhouse.grant_scope(%s, %s, %s, %s)", (account, name, scope, role))
    for scope in denied:
        conn.execute("select memhouse.grant_scope(%s, %s, %s, p_effect => 'deny')", (account, name, scope))
    return token


def begin(
    conn: psycopg.Connection,
    token: str | None,
    peer: str | None = None,
    scope: str | None = None,
    known_at: datetime | None = None,
) -> str:
    """Begins a read; the posture."""
    row = conn.execute(
        "select reader_posture from memhouse.begin_read(%s::text, %s::text, %s::text, %s::timestamptz)",
        (token, peer, scope, known_at),
    ).fetchone()
    return row[0]


def selected(conn: psycopg.Connection) -> set[uuid.UUID]:
    return {row[0] for row in conn.execute("select knowledge_id from memhouse.knowledge")}
