"""``python -m bench.load --dsn DSN [--clients N ...] [--seconds S] [--profile NAME] [--pool-size N]``.

Searches a second, their tail, their errors and the deadline, with ever more clients, each with a connection of its own:
straight to the server and through pgbouncer in transaction mode (if it is installed). All the while one more client writes
and one sweeps what has expired. Ten accounts of synthetic statements with vectors, in a database of its own that is dropped again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import threading

import psycopg

from bench.database import scratch_database
from bench.load.clients import TOLERANCE_MS, Questions, search, sweep, write
from bench.load.pooler import pooled, program
from bench.synthetic import DIMENSIONS, Corpus, vector_text
from bench.tables import heading, machine, quantiles, row, say

DATABASE = "memhouse_bench_load"
ACCOUNTS = 10
QUESTIONS = 200


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 2, 4, 8, 16, 32, 64], metavar="N")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each line")
    parser.add_argument("--rows", type=int, default=20_000, help="statements, in ten accounts")
    parser.add_argument("--profile", default="balanced")
    parser.add_argument("--deadline", type=int, default=300, metavar="MS")
    parser.add_argument("--pool-size", type=int, default=2 * (os.cpu_count() or 1), metavar="N")
    options = parser.parse_args()
    with scratch_database(options.dsn, DATABASE) as dsn:
        tokens, questions = furnish(dsn, options.rows)
        with psycopg.connect(dsn) as conn:
            under = machine(conn)
        heading(
            f"{options.profile} over {options.rows:,} statements, {options.seconds:.0f} s a line, deadline "
            f"{options.deadline} ms, one more client writing and one sweeping; {under}",
            *("way", "clients", "searches/s", "p50 ms", "p95 ms", "p99 ms", f"later than deadline + {TOLERANCE_MS} ms"),
            *("lost a strategy", "errors", "writes/s"),
        )
        for count in options.clients:
            line("direct", dsn, dsn, tokens, questions, count, options)
        if program() is None:
            say("pgbouncer is not installed: no pooled lines")
            return 0
        with pooled(dsn, options.pool_size, max(options.clients)) as pool:
            for count in options.clients:
                line(f"pgbouncer, {options.pool_size} connections", dsn, pool, tokens, questions, count, options)
    return 0


def furnish(dsn: str, rows: int) -> tuple[list[str], Questions]:
    """The accounts, each with a token that reads and writes; and questions with their vectors."""
    corpus, tokens = Corpus(), []
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("select memhouse.register_embedding_identity('bench', 'synthetic', '1', %s)", (DIMENSIONS,))
        for number in range(ACCOUNTS):
            account = f"bench-{number}"
            conn.execute("select memhouse.create_account(%s)", (account,))
            conn.execute("select memhouse.create_scope(%s, 'all')", (account,))
            (token,) = conn.execute("select memhouse.create_credential(%s, 'bot')", (account,)).fetchone() or ("",)
            conn.execute("select memhouse.grant_scope(%s, 'bot', 'all', 'member')", (account,))
            tokens.append(token)
            count = rows // ACCOUNTS
            statements = zip(corpus.statements(count), corpus.vectors(count), strict=True)
            lines = [
                {
                    "type": "knowledge",
                    "scope": "all",
                    "statement": text,
                    "sensitivity": "public",
                    "embedding": vector_text(vector),
                }
                for text, vector in statements
            ]
            with conn.transaction():
                conn.execute("select memhouse.begin_write(%s)", (token,))
                for start in range(0, count, 500):
                    conn.execute("select memhouse.import_batch(%s)", (json.dumps(lines[start : start + 500]),))
            with conn.transaction():
                conn.execute("select memhouse.begin_internal(%s)", (account,))
                conn.execute("select memhouse.rebuild_entities()")
        conn.execute("vacuum analyze")
    asked = zip(corpus.questions(QUESTIONS), corpus.vectors(QUESTIONS), strict=True)
    return tokens, [(text, vector.tolist()) for text, vector in asked]


def line(
    way: str, direct: str, dsn: str, tokens: list[str], questions: Questions, count: int, options: argparse.Namespace
) -> None:
    """One line: so many clients, in a few processes, for so many seconds."""
    context = multiprocessing.get_context("spawn")
    processes = min(count, 2 * (os.cpu_count() or 1))
    results: multiprocessing.Queue = context.Queue()
    shares = [count // processes + (number < count % processes) for number in range(processes)]
    start = context.Barrier(processes + 1)
    workers = [
        context.Process(
            target=search,
            args=(dsn, tokens, questions, share, options.seconds, options.profile, options.deadline, start, results),
        )
        for share in shares
    ]
    for worker in workers:
        worker.start()
    stop, written = threading.Event(), []
    beside = [
        threading.Thread(target=write, args=(direct, tokens[0], stop, written)),
        threading.Thread(target=sweep, args=(direct, stop)),
    ]
    start.wait()
    for thread in beside:
        thread.start()
    tallies = [results.get() for _ in workers]
    stop.set()
    for thread in beside:
        thread.join()
    for worker in workers:
        worker.join()
    ms = [value for tally in tallies for value in tally.ms]
    errors = [error for tally in tallies for error in tally.errors]
    for error in sorted(set(errors)):
        say(f"{errors.count(error)} × {error}")
    late = sum(tally.late for tally in tallies)
    row(
        way,
        count,
        len(ms) / options.seconds,
        *quantiles(ms),
        f"{late / len(ms):.2%}",
        f"{sum(tally.dropped for tally in tallies) / len(ms):.2%}",
        len(errors),
        sum(written) / options.seconds,
    )


if __name__ == "__main__":
    sys.exit(main())
