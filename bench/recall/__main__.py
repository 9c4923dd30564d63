"""``python -m bench.recall --dsn DSN [--rows N] [--queries N]``.

How many of the true ten nearest statements a reader gets who may see 0.1%, 1%, 10% or all of an account's rows, and
how long that takes; once for queries like any row, once for queries whose neighbourhood is mostly forbidden. Vectors
are synthetic: unit vectors around cluster centres, with clusters of very different sizes. The database must be
migrated, and the role a superuser's (rows are loaded by COPY, past the API). Running it again loads nothing.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray

ACCOUNT = "bench-recall"
DIMENSIONS = 384
CLUSTERS = 500
#: The scope of a row is drawn by these shares; a reader of a scope sees the scopes listed.
SHARES = {"0.1%": 0.001, "1%": 0.01, "10%": 0.1, "rest": 0.889}
READERS = {"0.1%": ["0.1%"], "1%": ["1%"], "10%": ["10%"], "100%": list(SHARES)}

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The rows as the benchmark knows them, for the exact answer."""

    ids: list[uuid.UUID]
    vectors: Vectors
    scopes: NDArray[np.int64]
    clusters: NDArray[np.int64]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    corpus = generate(options.rows)
    with psycopg.connect(options.dsn, autocommit=True) as conn:
        load(conn, corpus)
        tokens = credentials(conn)
        version = conn.info.parameter_status("server_version")
        print(
            f"\n{options.rows:,} rows of halfvec({DIMENSIONS}), PostgreSQL {version}, {options.queries} queries a cell\n"
        )
        print("| reader sees | neighbourhood | eligible | scan | recall@10 | short pages | p50 ms | p95 ms |")
        print("|---|---|---|---|---|---|---|---|")
        for reader, scopes in READERS.items():
            for hostile in (False, True):
                if hostile and reader == "100%":
                    continue
                print(
                    cell(conn, corpus, tokens[reader], reader, scopes, hostile=hostile, queries=options.queries),
                    flush=True,
                )
    return 0


def generate(rows: int) -> Corpus:
    """The same corpus for the same number of rows."""
    draw = np.random.default_rng(7)
    centres = unit(draw.normal(size=(CLUSTERS, DIMENSIONS)))
    sizes = draw.pareto(1.2, CLUSTERS) + 0.2
    clusters = draw.choice(CLUSTERS, rows, p=sizes / sizes.sum())
    vectors = unit(centres[clusters] + draw.normal(size=(rows, DIMENSIONS)) * 0.04)
    scopes = draw.choice(len(SHARES), rows, p=list(SHARES.values()))
    # A tenth of the clusters holds no row of the narrow readers: their neighbourhood is all forbidden.
    closed = np.isin(clusters, np.arange(0, CLUSTERS, 10))
    scopes[closed] = list(SHARES).index("rest")
    ids = [uuid.UUID(bytes=draw.bytes(16), version=4) for _ in range(rows)]
    return Corpus(ids, vectors.astype(np.float16).astype(np.float32), scopes, clusters)


def unit(vectors: NDArray[np.float64]) -> Vectors:
    """Rows of length 1."""
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def text(vector: Vectors) -> str:
    """pgvector's text form."""
    return "[" + ",".join(f"{value:.5g}" for value in vector) + "]"


def load(conn: psycopg.Connection, corpus: Corpus) -> None:
    """The account and its rows, unless they are there."""
    if conn.execute("select from memhouse.account where account_key = %s", (ACCOUNT,)).fetchone() is not None:
        return
    started = time.perf_counter()
    (account,) = one(conn, "select memhouse.create_account(%s)", ACCOUNT)
    scopes = [one(conn, "select memhouse.create_scope(%s, %s)", ACCOUNT, name)[0] for name in SHARES]
    (identity,) = one(conn, "select memhouse.register_embedding_identity('bench', 'synthetic', '1', %s)", DIMENSIONS)
    # Another benchmark may have registered one before, which accounts would search.
    conn.execute(
        "select memhouse.switch_embedding_identity(%s, identity_key) from memhouse.embedding_identity"
        " where identity_id = %s",
        (ACCOUNT, identity),
    )
    with (
        conn.transaction(),
        conn.cursor() as cursor,
        cursor.copy(
            "copy memhouse.knowledge (account_id, knowledge_id, scope_id, kind, statement, sensitivity, target_level,"
            " lifecycle_state, active_during, confidence) from stdin"
        ) as copy,
    ):
        for number, (id, scope) in enumerate(zip(corpus.ids, corpus.scopes, strict=True)):
            copy.write_row(
                (
                    account,
                    id,
                    scopes[scope],
                    "fact",
                    f"Row {number}.",
                    "internal",
                    "scope",
                    "active",
                    "{[2026-01-01,)}",
                    1.0,
                )
            )
    index = f"embedding_hnsw_{identity}"
    (definition,) = one(conn, "select pg_get_indexdef(%s::regclass)", f"memhouse.{index}")
    conn.execute(f"drop index memhouse.{index}")
    with (
        conn.transaction(),
        conn.cursor() as cursor,
        cursor.copy("copy memhouse.embedding (account_id, knowledge_id, identity_id, vec) from stdin") as copy,
    ):
        for part in lines(account, identity, corpus):
            copy.write(part)
    copied = time.perf_counter()
    conn.execute("set maintenance_work_mem = '2GB'")
    conn.execute(definition)
    conn.execute("vacuum analyze memhouse.knowledge, memhouse.embedding")
    print(f"loaded in {copied - started:.0f} s, index built in {time.perf_counter() - copied:.0f} s", file=sys.stderr)


def lines(account: uuid.UUID, identity: int, corpus: Corpus) -> Iterator[str]:
    """COPY text of the vectors, a thousand rows at a time."""
    for start in range(0, len(corpus.ids), 1000):
        out = io.StringIO()
        for id, vector in zip(corpus.ids[start : start + 1000], corpus.vectors[start : start + 1000], strict=True):
            out.write(f"{account}\t{id}\t{identity}\t{text(vector)}\n")
        yield out.getvalue()


def credentials(conn: psycopg.Connection) -> dict[str, str]:
    """A fresh credential for each reader; each needs a peer, for internal statements."""
    tokens = {}
    run = uuid.uuid4().hex[:8]
    conn.execute("select memhouse.create_peer(%s, %s)", (ACCOUNT, run))
    for reader, scopes in READERS.items():
        name = f"{run}-{reader}"
        (tokens[reader],) = one(conn, "select memhouse.create_credential(%s, %s, p_peer_key => %s)", ACCOUNT, name, run)
        for scope in scopes:
            conn.execute("select memhouse.grant_scope(%s, %s, %s)", (ACCOUNT, name, scope))
    return tokens


def cell(
    conn: psycopg.Connection, corpus: Corpus, token: str, reader: str, scopes: list[str], *, hostile: bool, queries: int
) -> str:
    """One line of the table."""
    draw = np.random.default_rng(11)
    visible = np.flatnonzero(np.isin(corpus.scopes, [list(SHARES).index(scope) for scope in scopes]))
    mine = corpus.vectors[visible]
    closed = np.flatnonzero(corpus.clusters % 10 == 0)
    found, short, ms, scans = [], 0, [], set()
    for _ in range(queries):
        near = draw.choice(closed if hostile else len(corpus.ids))
        query = unit((corpus.vectors[near] + draw.normal(size=DIMENSIONS) * 0.02)[None, :])[0]
        best = set(np.argpartition(-(mine @ query), min(10, len(mine) - 1))[:10])
        truth = {corpus.ids[visible[place]] for place in best}
        started = time.perf_counter()
        with conn.transaction():
            conn.execute("select memhouse.begin_read(%s)", (token,))
            hits = conn.execute(
                "select id, score_breakdown -> 'strategies' -> 'semantic' -> 'detail' ->> 'scan'"
                " from memhouse.search('anything', %s, 'fast', 10, p_deadline_ms => 60000)",
                (text(query),),
            ).fetchall()
        ms.append((time.perf_counter() - started) * 1000)
        found.append(len(truth & {id for id, _ in hits}) / len(truth))
        short += len(hits) < min(10, len(mine))
        scans |= {scan for _, scan in hits}
    p50, p95 = np.percentile(ms, [50, 95])
    where = "mostly forbidden" if hostile else "any"
    return (
        f"| {reader} | {where} | {len(mine):,} | {', '.join(sorted(scans))} | {np.mean(found):.4f} | {short} "
        f"| {p50:.1f} | {p95:.1f} |"
    )


def one(conn: psycopg.Connection, query: str, *parameters: object) -> tuple:
    """The one row of a query."""
    row = conn.execute(query, parameters).fetchone()
    assert row is not None
    return row


if __name__ == "__main__":
    sys.exit(main())
