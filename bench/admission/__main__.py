"""``python -m bench.admission --dsn DSN [--rows N] [--rounds N] [--locomo FILE]``.

The cost of admission: the same strategies and the same searches over the same rows, with the predicate in the view and
the policy, and with only the account in them, turn by turn in one run. It is server-side work that asks, or with --locomo
a reader of one conversation after the other; every row in question is open to it, so both do the same work but for the
predicate. The view and the policy without it exist only inside transactions that are rolled back. The role must be a superuser's.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg

from bench.account import local_embedder, locomo_account
from bench.admission.corpus import ACCOUNT, embed, load
from bench.quality.datasets import locomo_questions, spread
from bench.tables import heading, machine, row
from memhouse_thin import core

RARE, COMMON, BLANK = "what of order 731", "which delivery was late at the harbour depot", ""
STRATEGIES = (
    ("lexical", "a rare term", RARE),
    ("lexical", "common terms", COMMON),
    ("semantic", "exact over all", COMMON),
    ("entity_match", "a name", "what of Harbour Depot 17"),
    ("salience_recency", "blank query", BLANK),
)
SEARCHES = (("fast", COMMON), ("balanced", RARE), ("balanced", COMMON), ("thorough", RARE), ("thorough", BLANK))
VIEW = """
create or replace view memhouse.admissible_knowledge as
select {columns} from memhouse.knowledge as k where coalesce(k.account_id = (select memhouse.reader_account()), false)
"""
POLICY = "alter policy admitted on memhouse.knowledge using (account_id = (select memhouse.reader_account()))"
#: Who asks.
INTERNAL = ("select from memhouse.begin_internal(%s)", (ACCOUNT,))
READER = "select from memhouse.begin_read(%s, p_scope => %s)"
#: A question, its vector, and what begins the read, with its parameters.
Asked = tuple[str, str, str, tuple[str, ...]]
SEARCH = "select count(*) from memhouse.search(%s, %s, '{profile}', 20, p_deadline_ms => 60000)"
REQUEST = "select (memhouse._plan(%s, %s, 'balanced', 20, null, '{}', 60000, null, null)).request::text"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.admission", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="locomo10.json: as many of its questions too")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where vectors are kept between runs")
    options = parser.parse_args()
    embedder = local_embedder(options.cache) if options.locomo else None
    with psycopg.connect(options.dsn, autocommit=True) as conn:
        under = machine(conn)
        load(conn, options.rows)
        vector = embed(conn)
        columns = ", ".join(
            f"k.{column}"
            for (column,) in conn.execute(
                "select attname from pg_attribute where attrelid = 'memhouse.admissible_knowledge'::regclass and attnum > 0 order by attnum"
            )
        )
        heading(
            f"With admission and without, over {options.rows:,} rows of one account beside as many of another, p50 ms; {under}",
            *("what", "without", "with", "ratio"),
        )
        for strategy, what, question in STRATEGIES:
            statement = f"select count(*) from memhouse.strategy_{strategy}(%s::memhouse.request, 100)"
            compare(conn, f"{strategy}, {what}", columns, statement, [(question, vector, *INTERNAL)] * options.rounds)
        for profile, question in SEARCHES:
            name = f"search by {profile}, {question or 'blank query'!r}"
            compare(
                conn, name, columns, SEARCH.format(profile=profile), [(question, vector, *INTERNAL)] * options.rounds
            )
        if embedder:
            account = locomo_account(options.dsn, options.locomo, embedder)
            prefix, asked = account.embedder.identity.query_prefix, list[Asked]()
            for question in spread(locomo_questions(options.locomo), options.rounds):
                vector = core.vector_text(account.embedder(prefix + question.text)) or ""
                asked.append((question.text, vector, READER, (account.credential, question.scope)))
            for profile in ("fast", "balanced", "thorough"):
                name = f"search by {profile}, questions of LoCoMo"
                compare(conn, name, columns, SEARCH.format(profile=profile), asked)
    return 0


def compare(conn: psycopg.Connection, name: str, columns: str, statement: str, asked: Sequence[Asked]) -> None:
    """One line of the table."""
    times: dict[bool, list[float]] = {False: [], True: []}
    for each in asked:
        for admitted in (False, True):
            times[admitted].append(once(conn, statement, *each, None if admitted else columns))
    without, with_ = (statistics.median(times[key]) for key in (False, True))
    row(name, without, with_, with_ / without)


def once(
    conn: psycopg.Connection,
    statement: str,
    question: str,
    vector: str,
    begin: str,
    who: tuple[str, ...],
    open_columns: str | None,
) -> float:
    """The milliseconds of one statement, its third run in a transaction: the first two plan and fill caches."""
    with conn.transaction(force_rollback=True):
        if open_columns:
            conn.execute(VIEW.format(columns=open_columns))
            conn.execute(POLICY)
        conn.execute(begin, who)
        arguments: tuple[object, ...] = (question, vector)
        if "strategy_" in statement:
            arguments = tuple(conn.execute(REQUEST, arguments).fetchone() or ())
        else:
            conn.execute("set local role memhouse_internal")
        for _ in range(2):
            conn.execute(statement, arguments)
        started = time.perf_counter()
        conn.execute(statement, arguments)
        return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    sys.exit(main())
