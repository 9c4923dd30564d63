"""``python -m bench.scale --dsn DSN [--sizes N ...] [--accounts N ...] [--vectors N] [--questions N]``.

How a search of one account grows with its statements, and whether other accounts on the server slow it down. Text is
synthetic, with the word frequencies of a language; the first --vectors statements also have a vector (their index takes
most of the time to build). Loaded by COPY past the API, with ids in the order of time as the API gives them; mentions are
indexed as ever. Each size has a database of its own that is dropped again. All of them are filled first and then asked turn
by turn, some questions each, so that a machine whose speed changes is the same to all. The role must be a superuser's.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg_pool import ConnectionPool

from bench.database import scratch_database
from bench.synthetic import DIMENSIONS, Corpus, unit, vector_text
from bench.tables import heading, machine, quantiles, row, say, slowest_strategy
from memhouse_thin import Client, SearchResult

DATABASE = "memhouse_bench_scale"
ACCOUNT = "bench"
PROFILES = ("fast", "balanced", "thorough")
STRATEGIES = ("semantic", "lexical", "entity_match", "relation_expand")
#: Beside the account measured there are others, of this many statements in all, or of as many as that one has each.
OTHERS = 100_000
MEASURED = 1_000
DEADLINE_MS = 60_000
#: How often each database has its turn. Every question of it is asked twice and the second counts: the first warms what others cooled.
TURNS = 4
#: A memory of this size is also asked with everything compared exactly, so that strategies take long: that is what a
#: fan-out over several connections is for. With fewer questions.
EXACT = 100_000
EXACT_QUESTIONS = 20


@dataclass
class Measured:
    """What one database came to."""

    ms: dict[str, list[float]] = field(default_factory=dict)
    #: Balanced over several connections, and the slowest strategy of each of those searches.
    parallel_ms: list[float] = field(default_factory=list)
    slowest_ms: list[float] = field(default_factory=list)
    #: The same, and one connection, with everything compared exactly.
    exact: dict[str, list[float]] = field(default_factory=dict)
    strategies: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in STRATEGIES})
    found: list[float] = field(default_factory=list)
    backend_mb: float = 0.0
    load_s: float = 0.0
    index_s: float = 0.0
    mentions_s: float = 0.0
    table_mb: float = 0.0
    indexes: dict[str, float] = field(default_factory=dict)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True, help="a superuser's")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000], metavar="N")
    parser.add_argument("--accounts", type=int, nargs="*", default=[1, 100, 10_000], metavar="N")
    parser.add_argument("--vectors", type=int, default=100_000, metavar="N", help="statements that have a vector")
    parser.add_argument("--questions", type=int, default=100, metavar="N")
    options = parser.parse_args()
    with psycopg.connect(options.dsn) as conn:
        under = machine(conn)
    if options.sizes:
        sizes = sorted(options.sizes)
        print_sizes(dict(zip(sizes, measure(options, [(size, 1) for size in sizes]), strict=True)), under)
    if options.accounts:
        counts = sorted(options.accounts)
        print_accounts(dict(zip(counts, measure(options, [(MEASURED, count) for count in counts]), strict=True)), under)
    return 0


def measure(options: argparse.Namespace, cases: Sequence[tuple[int, int]]) -> list[Measured]:
    """Databases of one account of some size among others, filled one after the other and asked turn by turn."""
    with ExitStack() as stack:
        asked = [
            stack.enter_context(furnished(options, f"{DATABASE}_{number}", size, accounts))
            for number, (size, accounts) in enumerate(cases)
        ]
        for turn in range(TURNS):
            for database in asked:
                database.ask(slice(turn * options.questions // TURNS, (turn + 1) * options.questions // TURNS))
        for database, (size, accounts) in zip(asked, cases, strict=True):
            database.weigh()
            if (size, accounts) == (EXACT, 1):
                database.ask_exactly()
        return [database.measured for database in asked]


@contextmanager
def furnished(options: argparse.Namespace, name: str, size: int, accounts: int) -> Iterator[Asked]:
    """A database of that many statements and accounts, ready to be asked."""
    say(f"{size:,} statements, {accounts:,} accounts ...")
    with scratch_database(options.dsn, name) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        measured, corpus = Measured(), Corpus()
        others = accounts - 1
        each = min(size, OTHERS // others) if others else 0
        ids, vectors = fill(conn, corpus, measured, size, min(size, options.vectors), others, each)
        (token,) = one(conn, "select memhouse.create_credential(%s, 'reader')", ACCOUNT)
        conn.execute("select memhouse.grant_scope(%s, 'reader', 'all')", (ACCOUNT,))
        with (
            psycopg.connect(dsn, autocommit=True) as reader,
            ConnectionPool(dsn, min_size=4, max_size=4, kwargs={"autocommit": True}) as pool,
        ):
            pool.wait()
            yield Asked(conn, reader, pool, token, corpus.questions(options.questions), ids, vectors, measured)


def fill(
    conn: psycopg.Connection, corpus: Corpus, measured: Measured, size: int, with_vectors: int, others: int, each: int
) -> tuple[list[uuid.UUID], NDArray[np.float32]]:
    """The account measured, then the others; ids and vectors of the former."""
    conn.execute("set synchronous_commit = off")
    conn.execute("select memhouse.create_account(%s)", (ACCOUNT,))
    conn.execute("select memhouse.create_scope(%s, 'all')", (ACCOUNT,))
    conn.execute("select memhouse.create_account('other-' || i) from generate_series(1, %s) as i", (others,))
    conn.execute("select memhouse.create_scope('other-' || i, 'all') from generate_series(1, %s) as i", (others,))
    (identity,) = one(conn, "select memhouse.register_embedding_identity('bench', 'synthetic', '1', %s)", DIMENSIONS)
    index = f"memhouse.embedding_hnsw_{identity}"
    (definition,) = one(conn, "select pg_get_indexdef(%s::regclass)", index)
    conn.execute(f"drop index {index}")
    scopes = conn.execute("select account_id, scope_id from memhouse.scope order by account_id, scope_id").fetchall()
    (mine,) = one(conn, "select account_id from memhouse.account where account_key = %s", ACCOUNT)
    ids: list[uuid.UUID] = []
    vectors = np.empty((0, DIMENSIONS), np.float32)
    started = time.perf_counter()
    for account, scope in sorted(scopes, key=lambda pair: pair[0] != mine):
        rows = size if account == mine else each
        made = copy_statements(conn, account, scope, corpus, rows)
        count = with_vectors if account == mine else rows
        drawn = corpus.vectors(count)
        with (
            conn.cursor() as cursor,
            cursor.copy("copy memhouse.embedding (account_id, knowledge_id, identity_id, vec) from stdin") as copy,
        ):
            for id, vector in zip(made, drawn, strict=False):
                copy.write_row((account, id, identity, vector_text(vector)))
        if account == mine:
            ids, vectors = made[:count], drawn.astype(np.float16).astype(np.float32)
    measured.load_s = time.perf_counter() - started
    started = time.perf_counter()
    conn.execute("set maintenance_work_mem = '1GB'")
    conn.execute(definition)
    measured.index_s = time.perf_counter() - started
    started = time.perf_counter()
    with conn.transaction():
        conn.execute("select memhouse.begin_internal(%s)", (ACCOUNT,))
        conn.execute("select memhouse.rebuild_entities()")
    measured.mentions_s = time.perf_counter() - started
    conn.execute("vacuum analyze")
    # Or what was loaded would be written out while the questions are asked.
    conn.execute("checkpoint")
    return ids, vectors


def copy_statements(
    conn: psycopg.Connection, account: uuid.UUID, scope: uuid.UUID, corpus: Corpus, rows: int
) -> list[uuid.UUID]:
    """Statements of one scope, a minute apart, the last one now; their ids."""
    ids = []
    now = time.time()
    with (
        conn.cursor() as cursor,
        cursor.copy(
            "copy memhouse.knowledge (account_id, knowledge_id, scope_id, kind, statement, sensitivity, target_level,"
            " lifecycle_state, active_during, confidence, recorded_at) from stdin"
        ) as copy,
    ):
        for number, text in enumerate(corpus.statements(rows)):
            seconds = int(now - 60 * (rows - number))
            # Version 7, as the API makes them: milliseconds, then chance.
            id = uuid.UUID(
                int=seconds * 1000 << 80 | 7 << 76 | random.getrandbits(12) << 64 | 2 << 62 | random.getrandbits(62)
            )
            ids.append(id)
            recorded = np.datetime64(seconds, "s")
            copy.write_row(
                (account, id, scope, "fact", text, "public", "scope", "active", "{[2000-01-01,)}", 1.0, f"{recorded}Z")
            )
    return ids


class Asked:
    """A database that is asked, some questions at a time, by every profile; what is nearest is also found by comparing all here."""

    def __init__(
        self,
        conn: psycopg.Connection,
        reader: psycopg.Connection,
        pool: ConnectionPool,
        token: str,
        texts: list[str],
        ids: list[uuid.UUID],
        vectors: NDArray[np.float32],
        measured: Measured,
    ) -> None:
        self.measured = measured
        self._conn = conn
        self._reader = reader
        self._client = Client(reader, credential=token)
        self._wide = Client(pool, credential=token, fan_out="parallel", fan_out_wait_ms=1000)
        self._texts = texts
        draw = np.random.default_rng(11)
        near = vectors[draw.integers(0, len(vectors), len(texts))]
        self._asked = unit(near + draw.normal(size=near.shape) * 0.02)
        self._vectors = vectors
        self._place_of = {id: place for place, id in enumerate(ids)}

    def ask(self, turn: slice) -> None:
        """The questions of one turn, by each profile and over several connections."""
        questions = [(text, vector) for text, vector in zip(self._texts[turn], self._asked[turn], strict=True)]
        for profile in PROFILES:
            for number, (text, vector) in enumerate(questions + questions):
                result = self._search(self._client, profile, text, vector)
                if number >= len(questions):
                    self._note(profile, result, vector)
        for number, (text, vector) in enumerate(questions + questions):
            result = self._search(self._wide, "balanced", text, vector)
            if number >= len(questions):
                self.measured.parallel_ms.append(result.total_ms)
                self.measured.slowest_ms.append(slowest_strategy(result))

    def ask_exactly(self) -> None:
        """Some questions without index and without bounds, on one connection and over several."""
        slowest, alone, wide = (self.measured.exact.setdefault(name, []) for name in ("slowest", "alone", "wide"))
        (kept,) = one(self._conn, "select value::integer from memhouse.server_setting where name = 'exact_scan_rows'")
        self._conn.execute("select memhouse.set_server_setting('exact_scan_rows', %s)", (10 * EXACT,))
        for text, vector in zip(self._texts[:EXACT_QUESTIONS], self._asked[:EXACT_QUESTIONS], strict=True):
            for count in (False, True):
                result, other = (
                    self._search(client, "balanced", text, vector) for client in (self._client, self._wide)
                )
                if count:
                    slowest.append(slowest_strategy(other))
                    alone.append(result.total_ms)
                    wide.append(other.total_ms)
        self._conn.execute("select memhouse.set_server_setting('exact_scan_rows', %s)", (kept,))

    @staticmethod
    def _search(client: Client, profile: str, text: str, vector: NDArray[np.float32]) -> SearchResult:
        return client.search(text, profile=profile, embedding=vector.tolist(), deadline_ms=DEADLINE_MS)

    def _note(self, profile: str, result: SearchResult, vector: NDArray[np.float32]) -> None:
        measured, ran = self.measured, [*result.strategies.contributed, *result.strategies.empty]
        measured.ms.setdefault(profile, []).append(result.total_ms)
        if profile == "fast":
            best = set(np.argpartition(-(self._vectors @ vector), 10)[:10].tolist())
            measured.found.append(len(best & {self._place_of.get(hit.id) for hit in result[:10]}) / 10)
        if profile == "thorough":
            for outcome in ran:
                if outcome.name in measured.strategies and outcome.ms is not None:
                    measured.strategies[outcome.name].append(outcome.ms)

    def weigh(self) -> None:
        """Sizes on disk, and of the backend that was asked."""
        measured = self.measured
        (bytes_used,) = one(self._reader, "select sum(total_bytes) from pg_backend_memory_contexts")
        measured.backend_mb = float(bytes_used) / 2**20
        (table,) = one(self._conn, "select pg_table_size('memhouse.knowledge') + pg_table_size('memhouse.embedding')")
        measured.table_mb = table / 2**20
        for name, size in self._conn.execute(
            "select am.amname, sum(pg_relation_size(i.indexrelid)) from pg_index as i join pg_class as c on c.oid = i.indexrelid"
            " join pg_am as am on am.oid = c.relam where i.indrelid in ('memhouse.knowledge'::regclass, 'memhouse.embedding'::regclass)"
            " group by am.amname"
        ):
            measured.indexes[name] = float(size) / 2**20


# Printing ----------------------------------------------------------------------------------------


def print_sizes(all_measured: dict[int, Measured], under: str) -> None:
    """One account that grows."""
    first = next(iter(all_measured.values()))
    heading(
        f"One account that grows, ms of one search; {under}",
        *(
            "statements",
            *(f"{profile} p50 / p95" for profile in PROFILES),
            "growth of balanced's p50",
            "recall@10 of fast",
            "backend MB",
        ),
    )
    for size, measured in all_measured.items():
        cells = []
        for profile in PROFILES:
            p50, p95, _ = quantiles(measured.ms[profile])
            cells.append(f"{p50:.1f} / {p95:.1f}")
        growth = float(np.median(measured.ms["balanced"]) / np.median(first.ms["balanced"]))
        row(size, *cells, f"{growth:.2f} ×", f"{np.mean(measured.found):.3f}", measured.backend_mb)
    heading("Its strategies, p50 ms", "statements", *STRATEGIES)
    for size, measured in all_measured.items():
        row(size, *(float(np.median(ms)) if ms else None for ms in measured.strategies.values()))
    heading(
        "Balanced on one connection and over several, p50 ms",
        *(
            "statements",
            "one connection",
            "several",
            "their slowest strategy",
            "several × slowest strategy",
            "several × one",
        ),
    )
    for size, measured in all_measured.items():
        compared = {f"{size:,}": (measured.slowest_ms, measured.ms["balanced"], measured.parallel_ms)}
        if measured.exact:
            exact = measured.exact
            compared[f"{size:,}, everything compared exactly"] = (exact["slowest"], exact["alone"], exact["wide"])
        for name, lists in compared.items():
            slowest, alone, wide = (float(np.median(ms)) for ms in lists)
            row(name, alone, wide, slowest, f"{wide / slowest:.2f} ×", f"{wide / alone:.2f} ×")
    heading(
        "What it takes to make",
        *("statements", "load s", "vector index s", "mentions s", "tables MB", "btree MB", "gin MB", "hnsw MB"),
    )
    for size, measured in all_measured.items():
        sizes = [measured.indexes.get(kind) for kind in ("btree", "gin", "hnsw")]
        row(size, measured.load_s, measured.index_s, measured.mentions_s, measured.table_mb, *sizes)


def print_accounts(all_measured: dict[int, Measured], under: str) -> None:
    """One account among ever more."""
    first = next(iter(all_measured.values()))
    heading(
        f"An account of {MEASURED:,} statements among others (up to {OTHERS:,} statements in all), p50 / p95 ms of one search; {under}",
        *("accounts", *PROFILES, "growth of balanced's p50", "recall@10 of fast"),
    )
    for count, measured in all_measured.items():
        cells = []
        for profile in PROFILES:
            p50, p95, _ = quantiles(measured.ms[profile])
            cells.append(f"{p50:.1f} / {p95:.1f}")
        growth = float(np.median(measured.ms["balanced"]) / np.median(first.ms["balanced"]))
        row(count, *cells, f"{growth:.2f} ×", f"{np.mean(measured.found):.3f}")


def one(conn: psycopg.Connection, query: str, *parameters: object) -> tuple:
    """The one row of a query."""
    found = conn.execute(query, parameters or None).fetchone()
    assert found is not None
    return found


if __name__ == "__main__":
    sys.exit(main())
