"""The table of callers, every line of it, against every kind of row."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import psycopg
import pytest

from support.servers import Server
from support.world import (
    EPOCH,
    LEVELS,
    SENSITIVITIES,
    STATES,
    Caller,
    Row,
    Tree,
    admitted,
    begin,
    create_account,
    create_credential,
    selected,
    store,
)

SCOPES = {"open": None, "open/below": "open", "open/shut": "open", "elsewhere": None}


@dataclass
class Everything:
    dsn: str
    server: Server
    name: str
    tree: Tree
    rows: list[Row]

    def connect(self, user: str) -> psycopg.Connection:
        return self.server.connect(self.name, user=user, autocommit=False)


@pytest.fixture(scope="module")
def everything(server: Server, database: str) -> Iterator[Everything]:
    """Rows of every subject, sensitivity, level, state, expiry, scope and account there can be."""
    name = server.create_database(template=database)
    tree = Tree()
    rows = []
    with server.connect(name) as conn, conn.transaction():
        for account in ("acme", "rival"):
            create_account(conn, tree, account, SCOPES, ("mia", "noa"))
        for account, scope, subject, sensitivity, level, state, expired in itertools.product(
            ("acme", "rival"), SCOPES, (None, "mia", "noa"), SENSITIVITIES, LEVELS, STATES, (False, True)
        ):
            if subject is None and level == "peer":
                continue
            past = ((EPOCH, EPOCH + timedelta(days=1)),)
            rows.append(
                Row(
                    uuid.uuid4(), account, scope, subject, sensitivity, level, state, f"topic {len(rows)}",
                    active=((EPOCH, None),) if state == "active" else past,
                    provisional=((EPOCH, None),) if state == "provisional" else (),
                    expired=expired,
                )
            )  # fmt: skip
        store(conn, rows)
        for user in ("role_machine", "role_session", "role_nobody"):
            conn.execute(
                f"do $$ begin if not exists (select from pg_roles where rolname = '{user}') then create role {user} login; end if; end $$"
            )
            conn.execute(f"grant memhouse_analyst to {user}")
        conn.execute(
            "do $$ begin if not exists (select from pg_roles where rolname = 'app_internal') then create role app_internal login; end if; end $$"
        )
        conn.execute("grant memhouse_internal, memhouse_analyst to app_internal")
    yield Everything(server.dsn(name), server, name, tree, rows)
    server.drop_database(name)


# Each line of the table: kind, own peer, peer named; and the posture that follows.
CALLERS = {
    "names a peer, having none": ("machine", None, "mia", "peer", "mia"),
    "names a peer, having another": ("machine", "noa", "mia", "peer", "mia"),
    "machine with a peer": ("machine", "mia", None, "peer", "mia"),
    "machine without a peer": ("machine", None, None, "public_only", None),
    "password session": ("session", "mia", None, "peer", "mia"),
    "password session naming another": ("session", "mia", "noa", "peer", "noa"),
}


@pytest.mark.parametrize("clearance", SENSITIVITIES)
@pytest.mark.parametrize("caller", CALLERS)
def test_tokens(everything: Everything, caller: str, clearance: str) -> None:
    kind, own, named, posture, peer = CALLERS[caller]
    with everything.connect("postgres") as admin:
        token = create_credential(
            admin, "acme", f"{caller} {clearance}", granted=("open",), denied=("open/shut",), kind=kind, peer_key=own, clearance=clearance
        )  # fmt: skip
        admin.commit()
    expected = Caller("acme", posture, peer, clearance, frozenset({"open"}), frozenset({"open/shut"}))
    with everything.connect("app_analyst") as reader:
        assert begin(reader, token, named) == posture
        assert selected(reader) == {row.id for row in everything.rows if admitted(row, expected, everything.tree)}


@pytest.mark.parametrize(
    ("user", "kind", "own", "posture"),
    [
        ("role_machine", "machine", "mia", "peer"),
        ("role_session", "session", "mia", "peer"),
        ("role_nobody", "machine", None, "public_only"),
    ],
)
def test_database_roles(everything: Everything, user: str, kind: str, own: str | None, posture: str) -> None:
    with everything.connect("postgres") as admin:
        create_credential(
            admin, "acme", user, granted=("open",), denied=("open/shut",), kind=kind, peer_key=own, clearance="restricted", db_role=user
        )  # fmt: skip
        admin.commit()
    for peer in (None, "noa"):
        expected = Caller(
            "acme",
            "peer" if peer else posture,
            peer or own,
            "restricted",
            frozenset({"open"}),
            frozenset({"open/shut"}),
        )
        with everything.connect(user) as reader:
            assert begin(reader, None, peer) == expected.posture
            assert selected(reader) == {row.id for row in everything.rows if admitted(row, expected, everything.tree)}


def test_server_side_work(everything: Everything) -> None:
    expected = Caller("acme", "internal", None, "restricted")
    with everything.connect("app_internal") as conn:
        conn.execute("select from memhouse.begin_internal('acme')")
        assert selected(conn) == {row.id for row in everything.rows if admitted(row, expected, everything.tree)}


@pytest.mark.parametrize("asked", SCOPES)
def test_a_scope_means_it_and_its_ancestors_of_those_granted(everything: Everything, asked: str) -> None:
    with everything.connect("postgres") as admin:
        token = create_credential(
            admin,
            "acme",
            f"asks {asked}",
            granted=("open",),
            denied=("open/shut",),
            peer_key="mia",
            clearance="personal",
        )
        admin.commit()
    caller = Caller("acme", "peer", "mia", "personal", frozenset({"open"}), frozenset({"open/shut"}), asked=asked)
    with everything.connect("app_analyst") as reader:
        if not everything.tree.authorised(caller):
            with pytest.raises(psycopg.Error) as refused:
                begin(reader, token, scope=asked)
            assert refused.value.sqlstate == "MH007"
            return
        begin(reader, token, scope=asked)
        assert selected(reader) == {row.id for row in everything.rows if admitted(row, caller, everything.tree)}


def test_a_peer_that_does_not_exist_is_an_error(everything: Everything) -> None:
    with everything.connect("postgres") as admin:
        token = create_credential(admin, "acme", "names nobody", granted=("open",))
        admin.commit()
    with everything.connect("app_analyst") as reader, pytest.raises(psycopg.Error) as refused:
        begin(reader, token, "somebody")
    assert refused.value.sqlstate == "MH006"


def test_only_internal_members_may_begin_internal(everything: Everything) -> None:
    for user in ("app_analyst", "app_author"):
        with everything.connect(user) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("select from memhouse.begin_internal('acme')")


def test_without_a_posture_nothing_shows(everything: Everything) -> None:
    with everything.connect("app_analyst") as reader:
        tables = reader.execute(
            """select format('%I.%I', n.nspname, c.relname) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
               where n.nspname = 'memhouse' and c.relkind in ('r', 'p', 'v')
                 and has_any_column_privilege(c.oid, 'select')"""
        ).fetchall()
        assert tables
        for (table,) in tables:
            assert reader.execute(f"select count(*) from {table}").fetchone() == (0,), table
        for call in ("search('x')", "search_report('x')", "list_knowledge()", "promotions()", "profiles()"):
            with pytest.raises(psycopg.Error) as refused, reader.transaction():
                reader.execute(f"select memhouse.{call}")
            assert refused.value.sqlstate == "MH001", call
