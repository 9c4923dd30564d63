"""An account filled from a file through the product, for benchmarks that need real text and real vectors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
from psycopg.types.json import Jsonb

from bench.quality.vectors import CachedEmbedder
from bench.tables import say
from memhouse_thin import core
from memhouse_thin.core import Call
from memhouse_thin.errors import AlreadyExists
from memhouse_thin.importer import import_file
from memhouse_thin.models import find_model


def local_embedder(cache: Path | None) -> CachedEmbedder:
    """The local model, with vectors kept in a folder; without it, the end of the program and a word on how to fetch it."""
    folder = find_model()
    if folder is None:
        raise SystemExit("The embedder is not here; fetch it with: python -m memhouse_thin.models.fetch")
    return CachedEmbedder(folder, cache)


class BenchAccount:
    """An account with one root scope, an embedder, and a credential that reads and writes all of it for a day."""

    def __init__(self, dsn: str, account: str, root: str, embedder: CachedEmbedder) -> None:
        self.dsn = dsn
        self.account = account
        self.embedder = embedder
        self.source_keys: dict[UUID, str] = {}
        self.conn = psycopg.connect(dsn, autocommit=True)
        for call in (core.create_account(account), core.create_scope(account, root)):
            with suppress(AlreadyExists):
                self._execute(call)
        self._execute(core.register_embedding_identity(embedder.identity))
        # Another benchmark may have registered one before, which accounts would search.
        self._execute(core.switch_embedding_identity(account, embedder.identity.key, True))
        name, until = f"bench-{uuid4().hex[:8]}", datetime.now(UTC) + timedelta(days=1)
        # Evidence is internal: a peer of its own lets the credential read it.
        with suppress(AlreadyExists):
            self._execute(core.create_peer(account, "bench"))
        self.credential: str = self._execute(core.create_credential(account, name, peer_key="bench", expires_at=until))
        self._execute(core.grant_scope(account, name, root, "admin"))

    def _execute(self, call: Call) -> str:
        try:
            row = self.conn.execute(call.sql, call.params).fetchone()
        except psycopg.Error as error:
            raise core.failure(error) from error
        assert row is not None
        return str(row[0])

    def load(self, file: Path, format: str) -> None:
        """Import the file with vectors, build every projection, and say how long the import took."""
        say(f"importing {file.name}; what was never embedded is embedded now, which can take minutes ...")
        report = import_file(self.dsn, file, format=format, credential=self.credential, embedder=self.embedder)
        stored = report.knowledge
        say(
            f"imported {stored.new} statements ({stored.existing} were there) in {report.seconds:.1f} s, "
            "their vectors included"
        )
        self.conn.execute(
            "select memhouse.set_account_setting(%s, 'experimental_minimal_recall', 'true')", (self.account,)
        )
        started = time.perf_counter()
        with self.internal() as conn:
            conn.execute("select memhouse.rebuild_entities()")
            while conn.execute("select memhouse.refresh_recall_documents()").fetchone() != (0,):
                pass
            self.source_keys = dict(conn.execute("select knowledge_id, source_key from memhouse.knowledge").fetchall())
        # All of it, for the visibility map too: the figures are those of a table that autovacuum has been at.
        self.conn.execute("vacuum analyze")
        say(f"projections and statistics in {time.perf_counter() - started:.1f} s")

    @contextmanager
    def internal(self) -> Iterator[psycopg.Connection]:
        """A transaction of server-side work on this account."""
        with self.conn.transaction():
            self.conn.execute("select memhouse.begin_internal(%s)", (self.account,))
            yield self.conn

    def profile(self, name: str, config: dict[str, object], base: str | None = None) -> str:
        """A profile for the benchmark alone, with the rest as in another one; its name."""
        profile = f"bench {name}"
        if base is not None:
            query = "select config from memhouse.profile_in_force(%s, null, %s)"
            row = self.conn.execute(query, (self.account, base)).fetchone()
            config = {**(row[0] if row else {}), **config}
        self.conn.execute("select memhouse.set_profile(%s, null, %s, %s)", (self.account, profile, Jsonb(config)))
        return profile


def locomo_account(dsn: str, file: Path, embedder: CachedEmbedder) -> BenchAccount:
    """The account that holds LoCoMo, loaded."""
    account = BenchAccount(dsn, "bench-locomo", "locomo", embedder)
    account.load(file, "locomo")
    return account
