"""Brings the demo's company into a database and asks it questions, as any application would."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import as_file, files
from typing import Any
from uuid import uuid4

import psycopg

from memhouse_thin import core, server
from memhouse_thin.client import Client
from memhouse_thin.core import Call, Embedder
from memhouse_thin.errors import AlreadyExists
from memhouse_thin.importer import ImportReport, import_file
from memhouse_thin.migrate import migrate
from memhouse_thin.results import SearchResult

ACCOUNT = "kestrel"
ROOT = "kestrel"

#: Says on one line what is going on.
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Reader:
    """A program that reads the company's memory, and the credential it is given."""

    name: str
    who: str
    peer_key: str | None = None
    clearance: str = "personal"
    role: str = "reader"
    denied: tuple[str, ...] = ()


DANA = Reader(
    "dana-agent", "Dana's agent (Dana is an engineer in billing)", "dana", role="member", denied=("kestrel/people",)
)
OMAR = Reader("omar-agent", "Omar's agent (Omar is an engineer in platform)", "omar", denied=("kestrel/people",))
LENA = Reader("lena-agent", "Lena's agent (people and finance, cleared for restricted)", "lena", "restricted")
HELP = Reader("help-page", "The help page (a credential without a peer)", None, "internal")

QUESTIONS: tuple[tuple[str, tuple[Reader, ...]], ...] = (
    ("What happens when the reconcile job fails at night?", (DANA, OMAR, HELP)),
    ("Who leads platform, and what is paid for it?", (LENA, DANA, HELP)),
)
HITS = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """One reader's answer to one question."""

    question: str
    reader: Reader
    result: SearchResult


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo did and was told."""

    dsn: str
    server_version: str
    imported: ImportReport
    #: None where no model is; why is in ``without_model``.
    model: str | None
    without_model: str | None
    answers: tuple[Answer, ...]
    #: Dana's, for going on by hand.
    credential: str

    def to_json(self) -> dict[str, Any]:
        """The demo for a program."""
        return {
            "dsn": self.dsn,
            "credential": self.credential,
            "model": self.model,
            "answers": [
                {"question": answer.question, "reader": answer.reader.name, **answer.result.to_json()}
                for answer in self.answers
            ],
        }


def run(dsn: str | None = None, *, say: Say = lambda line: None) -> Demo:
    """Make everything the demo needs, where it is not there yet, and ask the questions.

    Without a connection string the embedded server is started. Running it again stores nothing twice.
    """
    if dsn is None:
        say("starting the embedded PostgreSQL")
        dsn = server.up().dsn
        assert dsn is not None, "a server that is up has a connection string"
    say("migrating the database")
    version = migrate(dsn).server_version
    embedder, without_model = find_embedder()
    if embedder is not None:
        say(f"embedding with {embedder.identity.model}")
    say("importing the company's memory")
    with psycopg.connect(dsn, autocommit=True, **core.connection_defaults(dsn)) as conn:
        admin = _Administrator(conn)
        imported = _import(admin, dsn, embedder)
        tokens = {reader.name: admin.admit(reader) for reader in (DANA, OMAR, LENA, HELP)}
    answers = tuple(
        Answer(question, reader, _ask(dsn, tokens[reader.name], embedder, question))
        for question, readers in QUESTIONS
        for reader in readers
    )
    model = None if embedder is None else embedder.identity.model
    return Demo(dsn, version, imported, model, without_model, answers, tokens[DANA.name])


def find_embedder() -> tuple[Embedder | None, str | None]:
    """The embedder of the fetched models, or what to do to have one."""
    try:
        from memhouse_thin.models.onnx import OnnxEmbedder
    except ImportError:
        return None, "make models, or pip install '.[models]' and python -m memhouse_thin.models.fetch"
    found = OnnxEmbedder.default()
    return (found, None) if found else (None, "python -m memhouse_thin.models.fetch")


def _import(admin: _Administrator, dsn: str, embedder: Embedder | None) -> ImportReport:
    admin.ensure(core.create_account(ACCOUNT))
    admin.ensure(core.create_scope(ACCOUNT, ROOT))
    if embedder is not None:
        admin.execute(core.register_embedding_identity(embedder.identity))
    writer = admin.admit(Reader("importer", "the demo", None, "restricted", role="admin"))
    with as_file(files("memhouse_thin.demo") / "corpus.jsonl") as corpus:
        report = import_file(dsn, corpus, credential=writer, embedder=embedder)
    admin.project(embedder)
    return report


def _ask(dsn: str, token: str, embedder: Embedder | None, question: str) -> SearchResult:
    with Client(dsn, credential=token, embedder=embedder) as memory:
        memory.search(question, limit=HITS)  # the first search of a session plans its statements
        return memory.search(question, limit=HITS)


class _Administrator:
    """The database role that makes accounts, scopes and credentials, and does server-side work."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn
        core.send_vectors(conn)

    def execute(self, call: Call) -> Any:
        """The first value of a call."""
        try:
            row = self._conn.execute(call.sql, call.params).fetchone()
        except psycopg.Error as error:
            raise core.failure(error) from error
        return None if row is None else row[0]

    def ensure(self, call: Call) -> None:
        """Create something unless it exists."""
        with suppress(AlreadyExists):
            self.execute(call)

    def admit(self, reader: Reader) -> str:
        """A new credential for a reader; a token is shown once, so each run makes its own."""
        name = f"{reader.name}-{uuid4().hex[:8]}"
        until = datetime.now(UTC) + timedelta(days=30)
        token: str = self.execute(
            core.create_credential(
                ACCOUNT, name, peer_key=reader.peer_key, clearance=reader.clearance, expires_at=until
            )
        )
        self.execute(core.grant_scope(ACCOUNT, name, ROOT, reader.role))
        for scope in reader.denied:
            self.execute(core.grant_scope(ACCOUNT, name, scope, effect="deny"))
        return token

    def project(self, embedder: Embedder | None) -> None:
        """What searches read beside the statements: entities, and vectors an earlier run without a model lacked.

        Server-side work, because no single reader sees every statement.
        """
        with self._conn.transaction():
            self._conn.execute("select memhouse.begin_internal(%s)", (ACCOUNT,))
            self._conn.execute("select memhouse.rebuild_entities()")
            if embedder is not None:
                call = core.unembedded(embedder.identity, 10_000, None)
                for id, statement in self._conn.execute(call.sql, call.params).fetchall():
                    self.execute(core.store_embedding(id, embedder(statement), embedder.identity))
