"""``python -m bench.budget --dsn DSN --locomo FILE [--questions N] [--plans NAME]``.

The steps of a search by each profile (memhouse.explain_search), in medians over many questions; what surrounds them:
the posture, the round trip, and a backend's first search, which reads the catalogue and plans everything. With --plans NAME
the plans that a search by that profile runs on, with their times and buffers, as auto_explain sees them. The role must be a superuser's.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import psycopg

from bench.account import BenchAccount, local_embedder, locomo_account
from bench.quality.datasets import Question, locomo_questions, spread
from bench.tables import heading, machine, row
from memhouse_thin import Client, core

PROFILES = ("fast", "balanced", "thorough")
EXPLAIN = "select memhouse.explain_search(%s, %s, %s, p_deadline_ms => 60000)"
REPORT = "select memhouse.search_report(%s, %s, %s, p_deadline_ms => 60000)"
#: Plans of statements faster than this say nothing about where the time goes.
SHORTEST_MS = 0.2


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.budget", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True, help="a migrated database")
    parser.add_argument("--locomo", type=Path, metavar="FILE", required=True, help="locomo10.json")
    parser.add_argument("--questions", type=int, default=200, metavar="N", help="spread over all of them")
    parser.add_argument("--plans", metavar="NAME", help="print the plans of one search by that profile")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where vectors are kept between runs")
    options = parser.parse_args()
    account = locomo_account(options.dsn, options.locomo, local_embedder(options.cache))
    questions = spread(locomo_questions(options.locomo), options.questions)
    prefix = account.embedder.identity.query_prefix
    vectors = [core.vector_text(account.embedder(prefix + question.text)) or "" for question in questions]
    if options.plans:
        print_plans(account, options.plans, questions[0], vectors[0])
        return 0
    under = machine(account.conn)
    steps = {profile: budget(account, profile, questions, vectors) for profile in PROFILES}
    # The last profile has every step.
    names = list(dict.fromkeys(name for profile in reversed(PROFILES) for name in steps[profile]))
    heading(f"Steps of a search, p50 ms over {len(questions)} questions on one connection; {under}", "step", *PROFILES)
    for name in names:
        row(name, *(float(np.median(steps[profile][name])) if name in steps[profile] else None for profile in PROFILES))
    return 0


def budget(
    account: BenchAccount, profile: str, questions: list[Question], vectors: list[str]
) -> dict[str, list[float]]:
    """Milliseconds of each step, in the order of a search; the first questions only warm the backend."""
    ms: dict[str, list[float]] = defaultdict(list)
    first = [cold(account, profile, questions[number], vectors[number]) for number in range(5)]
    with psycopg.connect(account.dsn, autocommit=True) as conn, Client(conn, credential=account.credential) as memory:
        for number, (question, vector) in enumerate(zip(questions, vectors, strict=True)):
            with conn.transaction():
                started = time.perf_counter()
                conn.execute("select from memhouse.begin_read(%s, null, %s)", (account.credential, question.scope))
                posture = (time.perf_counter() - started) * 1000
                (told,) = conn.execute(EXPLAIN, (question.text, vector, profile)).fetchone() or ({},)
            result = memory.search(
                question.text,
                scope=question.scope,
                profile=profile,
                deadline_ms=60_000,
                embedding=[float(value) for value in vector.strip("[]").split(",")],
                identity=account.embedder.identity,
            )
            if number < 10:
                continue
            ms["begin_read, with its round trip"].append(posture)
            for step in told["steps"]:
                if step.get("ms") is not None:
                    ms[step["step"]].append(step["ms"])
            ms["all in the server (elapsed_ms)"].append(result.elapsed_ms)
            ms["all for the client"].append(result.total_ms)
    ms["all for the client, first search of a connection"] = first
    return ms


def cold(account: BenchAccount, profile: str, question: Question, vector: str) -> float:
    """Milliseconds of the first search on a new connection, connecting not counted."""
    with psycopg.connect(account.dsn, autocommit=True) as conn:
        started = time.perf_counter()
        with conn.transaction():
            conn.execute("select from memhouse.begin_read(%s, null, %s)", (account.credential, question.scope))
            conn.execute(REPORT, (question.text, vector, profile))
        return (time.perf_counter() - started) * 1000


def print_plans(account: BenchAccount, profile: str, question: Question, vector: str) -> None:
    """What auto_explain says of every statement inside a search: how often each ran, and the plans of the slow ones."""
    plans: list[str] = []
    with psycopg.connect(account.dsn, autocommit=True) as conn:
        conn.execute("load 'auto_explain'")
        for name in ("log_analyze", "log_buffers", "log_nested_statements"):
            conn.execute(f"set auto_explain.{name} = on")
        # Without the clock around every node, which would cost more than what it measures.
        conn.execute("set auto_explain.log_timing = off")
        conn.add_notice_handler(lambda notice: plans.append(notice.message_primary or ""))
        for counts in (False, False, True):
            with conn.transaction():
                conn.execute("select from memhouse.begin_read(%s, null, %s)", (account.credential, question.scope))
                if counts:
                    conn.execute("set local auto_explain.log_min_duration = 0")
                    conn.execute("set local client_min_messages = log")
                conn.execute(REPORT, (question.text, vector, profile))
    seen: dict[str, list[float]] = defaultdict(list)
    slow = []
    for plan in plans:
        ms = float(plan.split()[1])
        text = " ".join(
            plan.partition("Query Text:")[2].partition("(cost=")[0].partition("Query Parameters:")[0].split()
        )
        seen[text[:90].replace("|", "/")].append(ms)
        if ms >= SHORTEST_MS:
            slow.append((ms, plan))
    heading(
        f"{len(plans)} statements inside one search by {profile}; a statement's time holds that of those inside it",
        *("statement", "times", "ms"),
    )
    for text, ms in sorted(seen.items(), key=lambda item: -sum(item[1]))[:15]:
        row(f"`{text}`", len(ms), sum(ms))
    for _, plan in sorted(slow, key=lambda item: -item[0]):
        # A vector among the parameters is a long line that says nothing.
        print("\n" + "\n".join(line[:300] for line in plan.splitlines()))


if __name__ == "__main__":
    sys.exit(main())
