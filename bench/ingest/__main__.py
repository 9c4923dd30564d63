"""``python -m bench.ingest --dsn DSN [--rows N] [--vector-rows N]``.

Statements a second, stored through remember one call at a time in one pipeline, through import_batch, and through the importer of
the command line from a file; against COPY by a superuser into the same tables with the same indexes, keys and foreign keys. Without vectors,
and with vectors into their index (which takes most of the time by any way); then, where the model is, with it. In a database of its own that is dropped again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import psycopg

from bench.database import scratch_database
from bench.synthetic import DIMENSIONS, Corpus, vector_text
from bench.tables import heading, machine, row
from memhouse_thin import EmbeddingIdentity, core
from memhouse_thin.importer import import_file
from memhouse_thin.models import find_model
from memhouse_thin.models.onnx import OnnxEmbedder

DATABASE = "memhouse_bench_ingest"
BATCH = 500
ROUNDS = 5
#: Statement and vector; a vector of None is none.
Lines = Sequence[tuple[str, str | None]]


class _Known:
    """An embedder that knows the vectors already."""

    def __init__(self, lines: Lines) -> None:
        self.identity = EmbeddingIdentity("bench", "synthetic", "1", DIMENSIONS)
        self._of = {text: np.fromstring(vector.strip("[]"), sep=",") for text, vector in lines if vector}

    def __call__(self, text: str, /) -> np.ndarray:
        return self._of[text]


class Ingest:
    """A database to fill, and the ways to do it."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.conn = psycopg.connect(dsn, autocommit=True)
        (self._account,) = self._one("select memhouse.create_account('bench')")
        (self._scope,) = self._one("select memhouse.create_scope('bench', 'bench')")
        (self._identity,) = self._one(
            "select memhouse.register_embedding_identity('bench', 'synthetic', '1', %s)", DIMENSIONS
        )
        (self._token,) = self._one("select memhouse.create_credential('bench', 'bench')")
        self._one("select memhouse.grant_scope('bench', 'bench', 'bench', 'member')")

    def _one(self, query: str, *parameters: object) -> tuple:
        found = self.conn.execute(query, parameters or None).fetchone()
        assert found is not None
        return found

    def copy(self, lines: Lines) -> None:
        """Bare COPY: no check but the tables' own."""
        ids = [uuid.uuid4() for _ in lines]
        columns = "account_id, knowledge_id, scope_id, kind, statement, sensitivity, target_level, lifecycle_state, active_during, confidence, source_key"
        with self.conn.transaction(), self.conn.cursor() as cursor:
            with cursor.copy(f"copy memhouse.knowledge ({columns}) from stdin") as copy:
                for id, (text, _) in zip(ids, lines, strict=True):
                    copy.write_row(
                        (
                            self._account,
                            id,
                            self._scope,
                            "fact",
                            text,
                            "internal",
                            "scope",
                            "active",
                            "{[2026-01-01,)}",
                            1.0,
                            f"c:{id}",
                        )
                    )
            if lines[0][1] is not None:
                with cursor.copy(
                    "copy memhouse.embedding (account_id, knowledge_id, identity_id, vec) from stdin"
                ) as copy:
                    for id, (_, vector) in zip(ids, lines, strict=True):
                        copy.write_row((self._account, id, self._identity, vector))

    def remember(self, lines: Lines) -> None:
        """One call a statement, all in one pipeline and one transaction."""
        with self.conn.transaction(), self.conn.pipeline():
            self.conn.execute("select memhouse.begin_write(%s)", (self._token,))
            for text, vector in lines:
                self.conn.execute(
                    "select memhouse.remember('bench', %s, p_source_key => %s, p_embedding => %s)",
                    (text, f"r:{uuid.uuid4()}", vector),
                )

    def batches(self, lines: Lines) -> None:
        """import_batch, 500 statements a call, all in one transaction."""
        with self.conn.transaction():
            self.conn.execute("select memhouse.begin_write(%s)", (self._token,))
            for start in range(0, len(lines), BATCH):
                batch = [
                    {
                        "type": "knowledge",
                        "scope": "bench",
                        "statement": text,
                        "source_key": f"b:{uuid.uuid4()}",
                        "embedding": vector,
                    }
                    for text, vector in lines[start : start + BATCH]
                ]
                self.conn.execute("select memhouse.import_batch(%s)", (json.dumps(batch),))

    def file(self, lines: Lines) -> None:
        """What `memhouse import` does, reading the file included."""
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "lines.jsonl"
            with path.open("w") as file:
                for text, _ in lines:
                    line = {"type": "knowledge", "scope": "bench", "statement": text, "source_key": f"f:{uuid.uuid4()}"}
                    file.write(json.dumps(line) + "\n")
            embedder = _Known(lines) if lines[0][1] is not None else None
            import_file(self.dsn, path, credential=self._token, embedder=embedder)

    def model(self, texts: Sequence[str], embedder: OnnxEmbedder) -> tuple[float, float]:
        """Seconds that the model takes for the texts, and that `memhouse import` takes with it."""
        call = core.register_embedding_identity(embedder.identity)
        self.conn.execute(call.sql, call.params)
        embedder(texts[0])
        started = time.perf_counter()
        for text in texts:
            embedder(text)
        alone = time.perf_counter() - started
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "lines.jsonl"
            path.write_text(
                "".join(
                    json.dumps({"type": "knowledge", "scope": "bench", "statement": text, "source_key": f"m:{number}"})
                    + "\n"
                    for number, text in enumerate(texts)
                )
            )
            started = time.perf_counter()
            import_file(self.dsn, path, credential=self._token, embedder=embedder)
        return alone, time.perf_counter() - started


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.ingest", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True, help="a superuser's")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--vector-rows", type=int, default=2_000)
    options = parser.parse_args()
    with scratch_database(options.dsn, DATABASE) as dsn:
        ingest, corpus = Ingest(dsn), Corpus()
        ways: dict[str, Callable[[Lines], None]] = {
            "COPY": ingest.copy,
            "remember, one pipeline": ingest.remember,
            "import_batch": ingest.batches,
            "memhouse import": ingest.file,
        }
        heading(
            f"Statements into one account with every index; {machine(ingest.conn)}",
            *("way", "rows", "rows/s", "× COPY", "rows with vectors", "rows/s", "× COPY"),
        )
        figures: dict[str, list[float]] = {way: [] for way in ways}
        for with_vectors, count in ((False, options.rows), (True, options.vector_rows)):
            # Turn by turn in small portions: the tables grow while this runs, for every way alike. The first one warms up.
            seconds = dict.fromkeys(ways, 0.0)
            portion = max(1, count // ROUNDS)
            for number in range(ROUNDS + 1):
                for way, run in ways.items():
                    texts = list(corpus.statements(portion))
                    vectors = map(vector_text, corpus.vectors(portion)) if with_vectors else [None] * portion
                    lines = list(zip(texts, vectors, strict=True))
                    started = time.perf_counter()
                    run(lines)
                    if number > 0:
                        seconds[way] += time.perf_counter() - started
            for way, spent in seconds.items():
                figures[way].append(portion * ROUNDS / spent)
        bare = figures["COPY"]
        for way, (plain, vectors) in figures.items():
            row(way, options.rows, plain, plain / bare[0], options.vector_rows, vectors, vectors / bare[1])
        if found := find_model():
            texts = list(corpus.statements(options.vector_rows // 4))
            alone, filled = ingest.model(texts, OnnxEmbedder(found))
            heading(
                "With the local model, one thread", "rows", "texts/s of the model alone", "rows/s of memhouse import"
            )
            row(len(texts), len(texts) / alone, len(texts) / filled)
        ingest.conn.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
