"""``python -m bench.admission --dsn DSN [--rows N] [--rounds N]``.

The cost of admission: the same strategies over the same rows, with the predicate in the view and with only the account
in it, turn by turn in one run. The reader is authorised for every row in question, so both do the same work but for the
predicate. The view without it exists only inside transactions that are rolled back. The role must be a superuser's.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import psycopg

from bench.admission.corpus import load

QUESTIONS = {
    "lexical, a rare term": ("memhouse.strategy_lexical", "731"),
    "lexical, common terms": ("memhouse.strategy_lexical", "which delivery was late at the harbour depot"),
    "salience_recency": ("memhouse.strategy_salience_recency", ""),
}
OPEN = """
create or replace view memhouse.admissible_knowledge as
select {columns} from memhouse.knowledge as k where k.account_id = (select memhouse.reader_account())
"""
RUN = """
select count(*) from {strategy}(
    row(%(q)s::text, memhouse.analyze_query(%(q)s::text), null, null, null, null, memhouse.parse_filters('{{}}'), {eligible}, null)::memhouse.request, 100)
"""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.admission", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    with psycopg.connect(options.dsn, autocommit=True) as conn:
        load(conn, options.rows)
        columns = ", ".join(
            f"k.{row[0]}"
            for row in conn.execute(
                "select attname from pg_attribute where attrelid = 'memhouse.admissible_knowledge'::regclass and attnum > 0 order by attnum"
            )
        )
        print(
            f"{2 * options.rows:,} rows in two accounts, PostgreSQL {conn.info.server_version // 10000}, {options.rounds} rounds\n"
        )
        print("| strategy | without, p50 ms | with, p50 ms | ratio |")
        print("|---|---|---|---|")
        for name, (strategy, question) in QUESTIONS.items():
            times: dict[bool, list[float]] = {False: [], True: []}
            for _ in range(options.rounds):
                for admitted in (False, True):
                    times[admitted].append(_once(conn, strategy, question, None if admitted else columns))
            without, with_ = (statistics.median(times[key]) for key in (False, True))
            print(f"| {name} | {without:.2f} | {with_:.2f} | {with_ / without:.2f} |")
    return 0


def _once(conn: psycopg.Connection, strategy: str, question: str, open_columns: str | None) -> float:
    with conn.transaction(force_rollback=True):
        if open_columns:
            conn.execute(OPEN.format(columns=open_columns))
        conn.execute("select from memhouse.begin_internal('bench-admission')")
        (eligible,) = conn.execute("select memhouse.eligible_rows(memhouse.parse_filters('{}'), 1000000)").fetchone()
        statement = RUN.format(strategy=strategy, eligible=eligible)
        conn.execute(statement, {"q": question})  # plans and caches
        started = time.perf_counter()
        conn.execute(statement, {"q": question})
        return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    sys.exit(main())
