"""``python -m bench.deadline --dsn DSN [--clients 8] [--runs 200] [--deadline 150]``.

How long after its deadline an answer comes while one strategy hangs, and what the report says of it, over many runs by
several clients at once; serially and in parallel. A database of its own is made beside the DSN's and dropped again,
since the strategies are replaced by ones that hang. The role must be a superuser's.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import numpy as np
import psycopg
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from memhouse_thin import Client, MemhouseError
from memhouse_thin.migrate import migrate

DATABASE = "memhouse_bench_deadline"
ROWS = 2000
DIMENSIONS = 384
#: What entity_match does instead of its work.
HANGS = {
    "nothing hangs": None,
    "sleep": "perform pg_sleep(30)",
    "lock": "perform count(*) from memhouse.entity_alias",
    "sort": "perform count(*) from (select from generate_series(1, 100000000) as g order by md5(g::text)) as s",
    "vector scan": "perform min(a.vec operator({vector}.<=>) b.vec) from memhouse.embedding as a, memhouse.embedding as b",
}


@dataclass
class Runs:
    """What came of the runs of one cell."""

    overrun_ms: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.deadline", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--deadline", type=int, default=150, metavar="MS")
    options = parser.parse_args()
    dsn = make_conninfo(options.dsn, dbname=DATABASE)
    with psycopg.connect(options.dsn, autocommit=True) as admin:
        admin.execute(f"drop database if exists {DATABASE} with (force)")
        admin.execute(f"create database {DATABASE}")
        try:
            migrate(dsn)
            token = furnish(dsn)
            version = admin.info.parameter_status("server_version")
            print(
                f"\nPostgreSQL {version}, {options.clients} clients, {options.runs} runs a line, "
                f"deadline {options.deadline} ms\n"
            )
            print("| fan-out | entity_match hangs on | reported as | overrun p50 ms | p99 ms | max ms |")
            print("|---|---|---|---|---|---|")
            for fan_out in ("serial", "parallel"):
                for name, body in HANGS.items():
                    replace(dsn, body)
                    runs = run(dsn, token, fan_out, name, options.clients, options.runs, options.deadline)
                    print(line(fan_out, name, runs), flush=True)
        finally:
            admin.execute(f"drop database if exists {DATABASE} with (force)")
    return 0


def furnish(dsn: str) -> str:
    """Some statements with vectors, and the token of a credential that reads them."""
    draw = np.random.default_rng(3)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("select memhouse.create_account('bench'), memhouse.create_scope('bench', 'bench')")
        conn.execute("select memhouse.register_embedding_identity('bench', 'synthetic', '1', %s)", (DIMENSIONS,))
        (token,) = conn.execute("select memhouse.create_credential('bench', 'bench')").fetchone() or ("",)
        conn.execute("select memhouse.grant_scope('bench', 'bench', 'bench', 'member')")
        with conn.transaction(), conn.pipeline():
            conn.execute("select memhouse.begin_write(%s)", (token,))
            for number in range(ROWS):
                conn.execute(
                    "select memhouse.remember('bench', %s, p_sensitivity => 'public', p_embedding => %s)",
                    (
                        f"Job {number} of the billing run, step {number % 17}.",
                        str(draw.normal(size=DIMENSIONS).tolist()),
                    ),
                )
        conn.execute("vacuum analyze")
    return str(token)


def replace(dsn: str, body: str | None) -> None:
    """Let entity_match hang in this way, or do nothing at all."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        (vector,) = conn.execute(
            "select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'vector'"
        ).fetchone() or ("public",)
        work = "return" if body is None else body.format(vector=vector)
        conn.execute(
            "create or replace function memhouse.strategy_entity_match(p_request memhouse.request, p_limit integer)"
            " returns setof memhouse.candidate language plpgsql stable security definer"
            f" set search_path = pg_catalog, pg_temp as $$ begin {work}; end $$"
        )
        # Hangs read base tables, which a strategy may not: the owner's rights are for the benchmark only.
        conn.execute("alter function memhouse.strategy_entity_match(memhouse.request, integer) owner to memhouse_owner")
        conn.execute(
            "grant execute on function memhouse.strategy_entity_match(memhouse.request, integer) to memhouse_api"
        )


def run(dsn: str, token: str, fan_out: str, name: str, clients: int, total: int, deadline_ms: int) -> Runs:
    """All runs of one line."""
    runs, guard = Runs(), threading.Lock()
    embedding = np.random.default_rng(5).normal(size=DIMENSIONS).tolist()
    # A parallel read uses one connection and one more for each strategy that is applicable.
    size = clients * (4 if fan_out == "parallel" else 1)
    with locked(dsn) if name == "lock" else nullcontext(), ConnectionPool(dsn, min_size=size, max_size=size) as pool:
        pool.wait()
        memory = Client(
            pool, credential=token, fan_out="parallel" if fan_out == "parallel" else "serial", fan_out_wait_ms=20
        )

        def work() -> None:
            for number in range(total // clients + 2):
                started = time.perf_counter()
                try:
                    result = memory.search("billing step", embedding=embedding, deadline_ms=deadline_ms)
                    hung = [item for item in result.strategies.dropped if item.name == "entity_match"]
                    outcome = f"dropped, {hung[0].reason_class}" if hung else "ran"
                except MemhouseError as error:
                    outcome = type(error).__name__
                overrun = (time.perf_counter() - started) * 1000 - deadline_ms
                with guard:
                    if number >= 2:  # the first two warm the backend
                        runs.overrun_ms.append(overrun)
                        runs.outcomes[outcome] += 1

        threads = [threading.Thread(target=work) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return runs


def locked(dsn: str) -> AbstractContextManager[psycopg.Connection]:
    """A connection that holds the lock the strategy waits for."""
    conn = psycopg.connect(dsn)
    conn.execute("lock table memhouse.entity_alias in access exclusive mode")
    return conn


def line(fan_out: str, name: str, runs: Runs) -> str:
    """One line of the table; before the deadline is a negative overrun."""
    p50, p99, worst = np.percentile(runs.overrun_ms, [50, 99, 100])
    said = "; ".join(f"{outcome} × {count}" for outcome, count in runs.outcomes.most_common())
    return f"| {fan_out} | {name} | {said} | {p50:.1f} | {p99:.1f} | {worst:.1f} |"


if __name__ == "__main__":
    sys.exit(main())
