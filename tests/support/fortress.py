"""A fortress to attack: an account of which a weak reader may see little, and an attacker that remembers all it hears."""

from __future__ import annotations

import itertools
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from support.servers import Server
from support.world import (
    EPOCH,
    SENSITIVITIES,
    Caller,
    Row,
    Tree,
    admitted,
    create_account,
    create_credential,
    store,
)

# Stands in every hidden row and in no visible one. The attacker never says it: a guess would be an echo.
CANARY = "zebrafish"
SCOPES = {"open": None, "open/below": "open", "shut": None, "elsewhere": None}


@dataclass
class Fortress:
    """What the weak reader may see, what it may not, and the tokens there are."""

    server: Server
    name: str
    tree: Tree
    rows: list[Row]
    tokens: dict[str, str]
    weak: Caller

    @property
    def visible(self) -> set[uuid.UUID]:
        return {row.id for row in self.rows if admitted(row, self.weak, self.tree)}

    @property
    def hidden(self) -> set[uuid.UUID]:
        return {row.id for row in self.rows} - self.visible

    def dsn(self, user: str = "app_analyst") -> str:
        return self.server.dsn(self.name, user=user)

    def admin(self) -> psycopg.Connection:
        return psycopg.connect(self.dsn("postgres"), autocommit=True)


def build(server: Server, database: str) -> Fortress:
    """The fortress in a database of its own."""
    name = server.create_database(template=database)
    tree = Tree()
    weak = Caller("acme", "peer", "mia", "internal", frozenset({"open"}), frozenset())
    with server.connect(name) as conn:
        with conn.transaction():
            for account in ("acme", "rival"):
                create_account(conn, tree, account, SCOPES, ("mia", "noa"))
            rows = _rows(tree, weak)
            store(conn, rows)
            tokens = {
                "weak": create_credential(conn, "acme", "weak", granted=("open",), peer_key="mia"),
                "low": create_credential(conn, "acme", "low", granted=("open",), peer_key="mia", clearance="public"),
                "writer": create_credential(conn, "acme", "writer", granted=("open",), role="member", peer_key="mia"),
                "boss": create_credential(
                    conn, "acme", "boss", granted=SCOPES, role="admin", peer_key="noa", clearance="restricted"
                ),
                "rival": create_credential(
                    conn, "rival", "rival", granted=("elsewhere",), role="admin", peer_key="mia", clearance="restricted"
                ),
            }
            _surround(conn)
        conn.execute("vacuum analyze")
    return Fortress(server, name, tree, rows, tokens, weak)


def _rows(tree: Tree, weak: Caller) -> list[Row]:
    rows = []
    for account, scope, subject, sensitivity, state in itertools.product(
        ("acme", "rival"), SCOPES, (None, "mia", "noa"), SENSITIVITIES, ("active", "provisional", "deprecated")
    ):
        # The rival's own token is granted elsewhere; nothing of that is a secret to its holder.
        if (account, scope) == ("rival", "elsewhere"):
            continue
        row = Row(
            uuid.uuid4(),
            account,
            scope,
            subject,
            sensitivity,
            "scope" if subject is None else "peer",
            state,
            "",
            active=((EPOCH, None if state == "active" else EPOCH + timedelta(days=1)),),
            provisional=((EPOCH, None),) if state == "provisional" else (),
        )
        word = "plain" if admitted(row, weak, tree) else CANARY
        rows.append(Row(**{**_fields(row), "text": f"The {word} topic {len(rows)} of Alpha Harbour."}))
    return rows


def _fields(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def _surround(conn: psycopg.Connection) -> None:
    """Observations, sources, relations and vectors around every statement, each as visible as its statement."""
    conn.execute(
        """
        insert into memhouse.observation (
            account_id, observation_id, scope_id, peer_id, role, content, sensitivity, occurred_at, source_key)
        select k.account_id, memhouse.uuid_v7(), k.scope_id, k.subject_peer_id, 'user', 'Heard: ' || k.statement,
            k.sensitivity, now(), 'said ' || k.statement
        from memhouse.knowledge as k where k.lifecycle_state = 'active'
        """
    )
    conn.execute(
        """
        insert into memhouse.knowledge_source (account_id, knowledge_id, observation_id)
        select k.account_id, k.knowledge_id, o.observation_id
        from memhouse.knowledge as k
        join memhouse.observation as o on o.account_id = k.account_id
            and (o.content = 'Heard: ' || k.statement or k.statement like '%topic 1%')
        """
    )
    # Every statement to the next one in the account: of most edges one end is hidden.
    conn.execute(
        """
        insert into memhouse.relation (account_id, from_id, to_id, type, confidence)
        select account_id, knowledge_id, next_id, 'supports', 1
        from (select account_id, knowledge_id, lead(knowledge_id) over (partition by account_id order by knowledge_id) as next_id
              from memhouse.knowledge) as k
        where next_id is not null
        """
    )
    conn.execute("select memhouse.register_embedding_identity('test', 'three', '1', 3)")
    conn.execute(
        """
        insert into memhouse.embedding (account_id, knowledge_id, identity_id, vec)
        select account_id, knowledge_id, 1, '[1, 0.5, 0.25]' from memhouse.knowledge
        """
    )
    conn.execute("select memhouse.link_scopes('acme', 'open', 'shut')")
    for account in ("acme", "rival"):
        with conn.transaction():
            conn.execute("select from memhouse.begin_internal(%s)", (account,))
            conn.execute("select memhouse.rebuild_entities()")


@dataclass
class Attacker:
    """An analyst's login: it types what it likes. Whatever the server says to it is remembered."""

    fortress: Fortress
    conn: psycopg.Connection
    heard: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.conn.prepare_threshold = None
        self.conn.add_notice_handler(
            lambda notice: self.heard.append(f"{notice.message_primary} {notice.message_detail}")
        )

    def run(self, query: str, *parameters: object) -> list[tuple]:
        try:
            cursor = self.conn.execute(query, parameters or None)
            rows = cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            diag = error.diag
            self.heard += [str(error), str(diag.message_detail), str(diag.message_hint), str(diag.context)]
            raise
        self.heard.append(repr(rows))
        return rows

    def value(self, query: str, *parameters: object) -> Any:
        rows = self.run(query, *parameters)
        return rows[0][0] if rows else None

    def begin(self, who: str | None = "weak") -> None:
        """Opens a transaction, and a posture in it."""
        self.run("begin")
        if who:
            self.posture(who)

    def posture(self, who: str) -> None:
        self.run("select reader_posture from memhouse.begin_read(%s::text)", self.fortress.tokens[who])

    def refused(self, query: str, *parameters: object, savepoint: bool = True) -> str:
        """The SQLSTATE with which a query fails; the transaction goes on."""
        within = savepoint and self.conn.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        if within:
            self.run("savepoint before")
        with pytest.raises(psycopg.Error) as caught:
            self.run(query, *parameters)
        if within:
            self.run("rollback to before")
        return caught.value.sqlstate or ""

    def may_call(self) -> set[str]:
        """The functions of ours that this login may execute: every one is tried, within a transaction."""
        functions = self.run(
            """select p.proname::text, array(select format_type(t, null) from unnest(p.proargtypes) with ordinality as a (t, place) order by place)
               from pg_proc as p where p.pronamespace = 'memhouse'::regnamespace and p.prorettype <> 'trigger'::regtype"""
        )
        assert len(functions) > 100
        allowed = set()
        for name, types in functions:
            self.run("savepoint before")
            try:
                self.run(f"select memhouse.{name}({', '.join(f'null::{type}' for type in types)})")
                allowed.add(name)
            except psycopg.Error as error:
                if error.sqlstate != "42501":
                    allowed.add(name)
            self.run("rollback to before")
        return allowed

    def sees(self) -> set[uuid.UUID]:
        return {row[0] for row in self.run("select knowledge_id from memhouse.knowledge")}

    def found_nothing_hidden(self) -> None:
        everything = "\n".join(self.heard)
        assert CANARY not in everything
        leaked = {id for id in self.fortress.hidden if str(id) in everything or repr(id) in everything}
        assert not leaked
