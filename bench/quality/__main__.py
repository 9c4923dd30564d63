"""``python -m bench.quality --dsn DSN (--locomo FILE | --scifact FOLDER)``.

Imports a question set through the product, embeds it, asks every question through the client, and prints how
well the evidence was found, by each strategy alone and by profiles. The role needs memhouse_admin
and memhouse_internal; the data is read where it lies. Running it again imports and embeds nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from uuid import UUID, uuid4

import psycopg
from psycopg.types.json import Jsonb

from bench.quality import baselines
from bench.quality.datasets import Question, locomo_questions, scifact_questions, write_scifact_import
from bench.quality.measures import ndcg, percentile, recall, reciprocal_rank
from bench.quality.vectors import CachedEmbedder
from memhouse_thin import Client, core
from memhouse_thin.core import Call
from memhouse_thin.errors import AlreadyExists
from memhouse_thin.importer import import_file
from memhouse_thin.models import find_model

#: What is compared: a name, and the strategies of a profile made for it; None is the profile of that name.
SYSTEMS: tuple[tuple[str, dict[str, int] | None], ...] = (
    ("lexical alone", {"lexical": 1}),
    ("semantic alone", {"semantic": 1}),
    ("semantic + lexical", {"semantic": 1, "lexical": 1}),
    ("balanced", None),
)
LIMIT = 100
# Quality must not depend on how busy the machine is; the times are printed.
DEADLINE_MS = 60_000
CORE_CATEGORIES = ("1", "2", "3", "4")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question after it was answered."""

    question: Question
    ranked: list[str]
    ms: float
    dropped: bool


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__.split("\n\n")[1])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--locomo", type=Path, metavar="FILE", help="locomo10.json")
    which.add_argument("--scifact", type=Path, metavar="FOLDER", help="corpus.jsonl, queries.jsonl and qrels.tsv")
    parser.add_argument("--dsn", required=True, help="a migrated database")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where vectors are kept between runs")
    parser.add_argument("--questions", type=int, metavar="N", help="ask only the first N")
    options = parser.parse_args()
    folder = find_model()
    if folder is None:
        print("The embedder is not here; fetch it with: python -m memhouse_thin.models.fetch", file=sys.stderr)
        return 1
    embedder = CachedEmbedder(folder, options.cache)
    if options.locomo:
        bench = Bench(options.dsn, "bench-locomo", "locomo", embedder)
        bench.load(options.locomo, "locomo")
        questions = list(locomo_questions(options.locomo))[: options.questions]
        print_locomo({name: bench.ask(name, strategies, questions) for name, strategies in SYSTEMS})
    else:
        bench = Bench(options.dsn, "bench-scifact", "scifact", embedder)
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "scifact.jsonl"
            write_scifact_import(options.scifact, file)
            bench.load(file, "jsonl")
        questions = list(scifact_questions(options.scifact))[: options.questions]
        print_scifact({name: bench.ask(name, strategies, questions) for name, strategies in SYSTEMS})
    return 0


class Bench:
    """An account with one question set in it."""

    def __init__(self, dsn: str, account: str, root: str, embedder: CachedEmbedder) -> None:
        self._dsn = dsn
        self._account = account
        self._embedder = embedder
        self._conn = psycopg.connect(dsn, autocommit=True)
        for call in (core.create_account(account), core.create_scope(account, root)):
            with suppress(AlreadyExists):
                self._execute(call)
        self._execute(core.register_embedding_identity(embedder.identity))
        name, until = f"bench-{uuid4().hex[:8]}", datetime.now(UTC) + timedelta(days=1)
        # Evidence is internal: a peer of its own lets the credential read it.
        with suppress(AlreadyExists):
            self._execute(core.create_peer(account, "bench"))
        self._credential: str = self._execute(core.create_credential(account, name, peer_key="bench", expires_at=until))
        self._execute(core.grant_scope(account, name, root, "admin"))

    def _execute(self, call: Call) -> str:
        try:
            row = self._conn.execute(call.sql, call.params).fetchone()
        except psycopg.Error as error:
            raise core.failure(error) from error
        assert row is not None
        return str(row[0])

    def load(self, file: Path, format: str) -> None:
        """Import the file with vectors, and say how long that took."""
        report = import_file(self._dsn, file, format=format, credential=self._credential, embedder=self._embedder)
        stored = report.knowledge
        say(
            f"imported {stored.new} statements ({stored.existing} were there) in {report.seconds:.1f} s, "
            "their vectors included"
        )
        with self._conn.transaction():
            self._conn.execute("select memhouse.begin_internal(%s)", (self._account,))
            self._conn.execute("select memhouse.rebuild_entities()")
            rows = self._conn.execute("select knowledge_id, source_key from memhouse.knowledge").fetchall()
        self._source_keys: dict[UUID, str] = dict(rows)
        self._conn.execute("analyze")

    def ask(self, name: str, strategies: dict[str, int] | None, questions: Sequence[Question]) -> list[Asked]:
        """Ask every question within its scope; vectors are ready, so the time is that of the search."""
        profile = name
        if strategies:
            profile = f"bench {name}"
            config = Jsonb({"strategies": strategies})
            self._conn.execute("select memhouse.set_profile(%s, null, %s, %s)", (self._account, profile, config))
        prefix = self._embedder.identity.query_prefix
        asked, started = [], time.perf_counter()
        with Client(self._dsn, credential=self._credential, profile=profile) as memory:
            for question in questions:
                result = memory.search(
                    question.text,
                    scope=question.scope,
                    limit=LIMIT,
                    deadline_ms=DEADLINE_MS,
                    embedding=self._embedder(prefix + question.text).tolist(),
                    identity=self._embedder.identity,
                )
                ranked = [self._source_keys[hit.id] for hit in result]
                asked.append(Asked(question, ranked, result.total_ms, bool(result.strategies.dropped)))
        say(f"{name}: {len(asked)} questions in {time.perf_counter() - started:.0f} s")
        return asked


# Printing ----------------------------------------------------------------------------------------


def say(line: str) -> None:
    """Progress, apart from the tables."""
    print(line, file=sys.stderr, flush=True)


def average(asked: Sequence[Asked], measure: Callable[[list[str], Question], float]) -> float:
    """The mean of a measure over questions; NaN without any."""
    return mean(measure(item.ranked, item.question) for item in asked) if asked else float("nan")


def recalls(asked: Sequence[Asked]) -> list[float]:
    """R@5, R@10, R@20 and MRR."""

    def at(k: int) -> float:
        return average(asked, lambda ranked, question: recall(ranked, question.relevant, k))

    return [at(5), at(10), at(20), average(asked, lambda ranked, question: reciprocal_rank(ranked, question.relevant))]


def times(asked: Sequence[Asked]) -> str:
    """Cells: median and 95th percentile of a search, and how many lost a strategy."""
    ms = [item.ms for item in asked]
    return f"{percentile(ms, 0.5):.1f} | {percentile(ms, 0.95):.1f} | {sum(item.dropped for item in asked)}"


def cells(values: Sequence[float | None]) -> str:
    """Figures as table cells."""
    return " | ".join("–" if value is None else f"{value:.3f}".lstrip("0") for value in values)


def print_head(*columns: str) -> None:
    """The first two lines of a table."""
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")


def print_locomo(systems: dict[str, list[Asked]]) -> None:
    """LoCoMo's tables."""
    first = next(iter(systems.values()))
    core_size = sum(item.question.category in CORE_CATEGORIES for item in first)
    print(f"\nLoCoMo, categories 1–4 ({core_size} questions), recall of evidence turns; ms of one search\n")
    print_head("system", "R@5", "R@10", "R@20", "MRR", "cat 5 R@10", "p50 ms", "p95 ms", "dropped")
    for name, asked in systems.items():
        core_asked = [item for item in asked if item.question.category in CORE_CATEGORIES]
        adversarial = recalls([item for item in asked if item.question.category == "5"])[1]
        print(f"| **{name}** | {cells([*recalls(core_asked), adversarial])} | {times(asked)} |")
    for name, figures in baselines.LOCOMO.items():
        print(f"| {name} (published) | {cells(figures)} | | | | |")
    print()
    print_head("R@10 by category", "multi-hop", "temporal", "commonsense", "single-hop", "adversarial")
    for name, asked in systems.items():
        by_category = [
            recalls([item for item in asked if item.question.category == category])[1] for category in "12345"
        ]
        print(f"| {name} | {cells(by_category)} |")


def print_scifact(systems: dict[str, list[Asked]]) -> None:
    """SciFact's table."""
    size = len(next(iter(systems.values())))
    print(f"\nSciFact ({size} claims); ms of one search\n")
    print_head("system", "nDCG@10", "R@10", "MRR", "p50 ms", "p95 ms", "dropped")
    for name, asked in systems.items():
        _, recall_10, _, mrr = recalls(asked)
        score = average(asked, lambda ranked, question: ndcg(ranked, question.relevant, 10))
        print(f"| **{name}** | {cells([score, recall_10, mrr])} | {times(asked)} |")
    for name, figure in baselines.SCIFACT.items():
        print(f"| {name} (published) | {cells([figure])} | | | | | |")


if __name__ == "__main__":
    sys.exit(main())
