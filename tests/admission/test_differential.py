"""Random corpora and callers: four independent ways to say what a caller sees must agree.

An example is a corpus of its own, looked at by every caller; MEMHOUSE_EXAMPLES raises how many there are.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.servers import Server
from support.world import (
    EPOCH,
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

EXAMPLES = int(os.environ.get("MEMHOUSE_EXAMPLES", "30"))
SCOPES = {"a": None, "a/b": "a", "a/b/c": "a/b", "d": None}
PEERS = ("mia", "noa", "oli")
KEYS = [("acme", scope) for scope in SCOPES] + [("rival", "a")]
# Periods begin and end on whole days; reads ask about noons.
DAYS = st.integers(0, 40)


@dataclass(frozen=True)
class Asker:
    """A caller with the token it calls by."""

    caller: Caller
    token: str | None
    named: str | None = None


@dataclass
class Setting:
    server: Server
    name: str
    tree: Tree
    askers: list[Asker]


@pytest.fixture(scope="module")
def setting(server: Server, database: str) -> Iterator[Setting]:
    name = server.create_database(template=database)
    tree = Tree()
    askers = []
    with server.connect(name) as conn, conn.transaction():
        for account in ("acme", "rival"):
            create_account(conn, tree, account, SCOPES, PEERS)
        made = [
            # account, own peer, named, clearance, granted, denied
            ("acme", "mia", None, "restricted", ("a",), ()),
            ("acme", "mia", None, "internal", ("a", "d"), ("a/b",)),
            ("acme", None, None, "restricted", ("a", "d"), ()),
            ("acme", None, "noa", "personal", ("a/b",), ("a/b/c",)),
            ("acme", "oli", "mia", "personal", ("a/b", "d"), ("d",)),
            ("acme", "noa", None, "public", ("a", "a/b"), ()),
            ("rival", "mia", None, "restricted", ("a",), ()),
            ("acme", "mia", None, "restricted", (), ()),
        ]
        for number, (account, own, named, clearance, granted, denied) in enumerate(made):
            token = create_credential(
                conn, account, f"c{number}", granted=granted, denied=denied, peer_key=own, clearance=clearance
            )
            peer = named or own
            caller = Caller(
                account, "peer" if peer else "public_only", peer, clearance, frozenset(granted), frozenset(denied)
            )
            askers.append(Asker(caller, token, named))
        askers.append(Asker(Caller("acme", "internal", None, "restricted"), None))
    yield Setting(server, name, tree, askers)
    server.drop_database(name)


@st.composite
def periods(draw: st.DrawFn) -> tuple[tuple[datetime, datetime | None], ...]:
    """Disjoint periods, the last of which may go on."""
    edges = sorted(draw(st.lists(DAYS, max_size=4, unique=True)))
    days = [EPOCH + timedelta(days=edge) for edge in edges]
    pairs: list[tuple[datetime, datetime | None]] = list(zip(days[::2], days[1::2], strict=False))
    if len(days) % 2:
        pairs.append((days[-1], None))
    return tuple(pairs)


@st.composite
def statements(draw: st.DrawFn) -> Row:
    account, scope = draw(st.sampled_from(KEYS))
    subject = draw(st.sampled_from([None, *PEERS]))
    active = draw(periods())
    provisional = draw(periods())
    return Row(
        uuid.uuid4(), account, scope, subject,
        sensitivity=draw(st.sampled_from(SENSITIVITIES)),
        level=draw(st.sampled_from(("scope", "account") if subject is None else ("peer", "scope", "account"))),
        state=draw(st.sampled_from(STATES)),
        text="a common word and " + draw(st.sampled_from(["billing", "tea", "rockets", "billing tea"])),
        active=active, provisional=provisional,
        expired=draw(st.booleans()) and draw(st.booleans()),
        revalidate_at=draw(st.none() | DAYS.map(lambda day: EPOCH + timedelta(days=day))),
    )  # fmt: skip


@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 30, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
@given(
    rows=st.lists(statements(), min_size=1, max_size=60),
    instant=st.none() | DAYS.map(lambda day: EPOCH + timedelta(days=day, hours=12)),
    asked=st.none() | st.sampled_from(list(SCOPES)),
)
def test_everything_agrees(setting: Setting, rows: list[Row], instant: datetime | None, asked: str | None) -> None:
    with setting.server.connect(setting.name, autocommit=False) as conn:
        store(conn, rows)
        for asker in setting.askers:
            caller = asker.caller
            if caller.posture != "internal":
                caller = replace(caller, known_at=instant, asked=asked)
            check(conn, setting.tree, rows, caller, asker)
        conn.rollback()


def check(conn: psycopg.Connection, tree: Tree, rows: list[Row], caller: Caller, asker: Asker) -> None:
    if caller.posture == "internal":
        conn.execute("select from memhouse.begin_internal('acme')")
    elif caller.asked is not None and not tree.authorised(caller):
        with pytest.raises(psycopg.Error) as refused, conn.transaction():
            begin(conn, asker.token, asker.named, caller.asked, caller.known_at)
        assert refused.value.sqlstate == "MH007"
        return
    else:
        begin(conn, asker.token, asker.named, caller.asked, caller.known_at)

    expected = {row.id for row in rows if admitted(row, caller, tree)}
    check_audiences(conn, rows, expected, caller, tree)
    conn.execute("set local role app_analyst")
    assert selected(conn) == expected, "row security"
    conn.execute("set local role app_reader")
    assert searched(conn) == expected, "search"
    assert listed(conn) == expected, "list_knowledge"
    conn.execute("set local role memhouse_strategy")
    view = {row[0] for row in conn.execute("select knowledge_id from memhouse.admissible_knowledge")}
    assert view == expected, "the strategies' view"
    conn.execute("reset role")


def check_audiences(
    conn: psycopg.Connection, rows: list[Row], expected: set[uuid.UUID], caller: Caller, tree: Tree
) -> None:
    """Nothing admitted is outside the audiences of a caller, and inside them nothing but time keeps a row back."""
    inside = {
        row[0]
        for row in conn.execute(
            "select knowledge_id from memhouse.knowledge"
            " where account_id = memhouse.reader_account() and audience = any (memhouse.reader_audiences())"
        )
    }
    assert expected <= inside, "an admitted row outside the caller's audiences"
    always = {"active": ((EPOCH, None),), "expired": False, "revalidate_at": None, "state": "active"}
    for row in rows:
        if row.id in inside and caller.posture != "internal":
            assert admitted(replace(row, **always), replace(caller, known_at=None), tree), "another's row among them"


def searched(conn: psycopg.Connection) -> set[uuid.UUID]:
    """Everything that search returns, by any strategy."""
    found = set()
    for query, profile in (("common word", "thorough"), ("", "thorough"), ("tea or billing", "balanced")):
        found |= {
            row[0]
            for row in conn.execute(
                "select id from memhouse.search(%s, p_profile => %s, p_limit => 100, p_deadline_ms => 60000)",
                (query, profile),
            )
        }
    return found


def listed(conn: psycopg.Connection) -> set[uuid.UUID]:
    """Every page of list_knowledge."""
    found: list[uuid.UUID] = []
    while page := conn.execute(
        "select id from memhouse.list_knowledge(p_after => %s, p_limit => 17)", (found[-1] if found else None,)
    ).fetchall():
        found += [row[0] for row in page]
    assert len(found) == len(set(found))
    return set(found)
