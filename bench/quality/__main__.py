"""``python -m bench.quality --dsn DSN (--locomo FILE | --scifact FOLDER | --documents FILE --queries FILE --judgements FILE)``.

Imports a question set through the product, embeds it, asks every question through the client, and prints how
well the evidence was found: by each strategy alone, by profiles, and by reciprocal rank fusion of the same lists. The
role needs memhouse_admin and memhouse_internal; the data is read where it lies. Running it again imports and
embeds nothing. With --plot NAME, quality against latency is drawn into NAME.png and NAME.svg.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from statistics import mean

from bench.account import BenchAccount, local_embedder, locomo_account
from bench.quality import baselines
from bench.quality.datasets import (
    Question,
    jsonl_questions,
    locomo_questions,
    scifact_questions,
    spread,
    write_jsonl_import,
    write_scifact_import,
)
from bench.quality.measures import interval, ndcg, percentile, recall, reciprocal_rank, rrf
from bench.quality.plot import draw
from bench.tables import heading, machine, row, say
from memhouse_thin import Client
from memhouse_thin.models.rerank import LocalRerankers
from memhouse_thin.reranking import Reranker

#: Strategies that can answer a question alone. temporal needs an instant, salience_recency a blank query, and
#: relation_expand the lists of others: for these there is no such line.
ALONE = ("semantic", "lexical", "entity_match")
#: What is compared: a name, and the strategies of a profile made for it; None is the profile of that name.
SYSTEMS: tuple[tuple[str, dict[str, float] | None], ...] = (
    *((f"{name} alone", {name: 1}) for name in ALONE),
    ("semantic + lexical", {"semantic": 1, "lexical": 1}),
    ("minimal", None),
    ("fast", None),
    ("balanced", None),
    ("thorough", None),
)
#: The second looks that thorough may take, with models in the client, and what suits each; the cascade is thorough's own.
RERANKERS: dict[str, dict[str, object]] = {
    "late_interaction": {"rerank_weight": 0.5},
    "cross_encoder": {"rerank_head": 20, "rerank_weight": 0.5},
    "cascade": {},
}
LIMIT = 100
# Quality must not depend on how busy the machine is; the times are printed.
DEADLINE_MS = 60_000
CORE_CATEGORIES = ("1", "2", "3", "4")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question after it was answered; a fusion outside the database took no time of its own."""

    question: Question
    ranked: list[str]
    ms: float | None
    dropped: bool


Measure = Callable[[Asked], float]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=(__doc__ or "").split("\n\n")[1])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--locomo", type=Path, metavar="FILE", help="locomo10.json")
    which.add_argument("--scifact", type=Path, metavar="FOLDER", help="corpus.jsonl, queries.jsonl and qrels.tsv")
    which.add_argument("--documents", type=Path, metavar="FILE", help='lines of {"id", "text"}, title if there is one')
    parser.add_argument("--queries", type=Path, metavar="FILE", help='with --documents: lines of {"id", "text"}')
    parser.add_argument("--judgements", type=Path, metavar="FILE", help='lines of {"query", "document", "grade"}')
    parser.add_argument("--dsn", required=True, help="a migrated database")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where vectors are kept between runs")
    parser.add_argument("--questions", type=int, metavar="N", help="ask only N, spread over all of them")
    parser.add_argument(
        "--rerank",
        nargs="*",
        choices=RERANKERS,
        metavar="KIND",
        help=f"also thorough with these rerankers, or with each (slow): {', '.join(RERANKERS)}",
    )
    parser.add_argument("--plot", type=Path, metavar="NAME", help="draw NAME.png and NAME.svg (needs the bench extra)")
    options = parser.parse_args()
    if options.documents and not (options.queries and options.judgements):
        parser.error("--documents needs --queries and --judgements")
    # Said now, not when everything has been measured.
    if options.plot and not options.plot.parent.is_dir():
        parser.error(f"--plot: there is no folder {options.plot.parent}")
    if options.plot and not find_spec("matplotlib"):
        parser.error("--plot needs matplotlib: pip install '.[bench]'")
    embedder = local_embedder(options.cache)
    if options.locomo:
        account = locomo_account(options.dsn, options.locomo, embedder)
        questions = spread(locomo_questions(options.locomo), options.questions)
    else:
        name = "scifact" if options.scifact else "documents"
        account = BenchAccount(options.dsn, f"bench-{name}", name, embedder)
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "import.jsonl"
            if options.scifact:
                write_scifact_import(options.scifact, file)
                questions = spread(scifact_questions(options.scifact), options.questions)
            else:
                write_jsonl_import(options.documents, file)
                questions = spread(jsonl_questions(options.queries, options.judgements), options.questions)
            account.load(file, "jsonl")
    under = machine(account.conn)
    kinds = () if options.rerank is None else options.rerank or tuple(RERANKERS)
    systems = answers(account, questions, kinds)
    print(f"\n{under}")
    if options.locomo:
        print_locomo(systems)
        print_halves(systems, ("R@10", recall_at(10)), ("MRR", mrr))
    else:
        print_judged(
            systems,
            "SciFact" if options.scifact else str(options.documents),
            baselines.SCIFACT if options.scifact else {},
        )
        print_halves(systems, ("nDCG@10", ndcg_10), ("MRR", mrr))
    if options.plot:
        measure = recall_at(10) if options.locomo else ndcg_10
        points = {
            name: (percentile(times, 0.5), *estimate(core(asked), measure))
            for name, asked in systems.items()
            if (times := [item.ms for item in asked if item.ms is not None])
        }
        draw(options.plot, points, "R@10, categories 1–4" if options.locomo else "nDCG@10")
    return 0


def answers(account: BenchAccount, questions: Sequence[Question], rerank: Sequence[str]) -> dict[str, list[Asked]]:
    """Every system's answers; last the rank fusion of the very lists that balanced fuses by score."""
    systems = {}
    for name, strategies in SYSTEMS:
        profile = account.profile(name, {"strategies": strategies}) if strategies else name
        systems[name] = ask(account, name, profile, questions)
    if rerank:
        rerankers = LocalRerankers().load()
        started = time.perf_counter()
        with Client(account.dsn, credential=account.credential) as memory:
            packed = memory.pack_missing(rerankers.late)
        say(f"token vectors of {packed} statements in {time.perf_counter() - started:.0f} s")
        for kind in rerank:
            unhurried = {"deadline_ms": DEADLINE_MS, "reserved_rerank_ms": DEADLINE_MS // 2}
            config = {"reranker": kind, **unhurried, **RERANKERS[kind]}
            profile = account.profile(f"thorough {kind}", config, "thorough")
            name = f"thorough, {kind.replace('_', ' ')}"
            systems[name] = ask(account, name, profile, questions, rerankers)
    for fused in (("semantic", "lexical"), ALONE):
        lists = [systems[f"{name} alone"] for name in fused]
        systems[f"{' + '.join(fused)} by RRF (k = 60)"] = [
            Asked(asked[0].question, [str(key) for key in rrf([item.ranked for item in asked])], None, False)
            for asked in zip(*lists, strict=True)
        ]
    return systems


def ask(
    account: BenchAccount, name: str, profile: str, questions: Sequence[Question], reranker: Reranker | None = None
) -> list[Asked]:
    """Ask every question within its scope; vectors are ready, so the time is that of the search."""
    identity = account.embedder.identity
    vectors = {
        question.text: account.embedder(identity.query_prefix + question.text).tolist() for question in questions
    }
    asked, started = [], time.perf_counter()
    with Client(account.dsn, credential=account.credential, profile=profile, reranker=reranker) as memory:
        for question in questions:
            result = memory.search(
                question.text,
                scope=question.scope,
                limit=LIMIT,
                deadline_ms=DEADLINE_MS,
                embedding=vectors[question.text],
                identity=identity,
            )
            ranked = [account.source_keys[hit.id] for hit in result]
            asked.append(Asked(question, ranked, result.total_ms, bool(result.strategies.dropped)))
    say(f"{name}: {len(asked)} questions in {time.perf_counter() - started:.0f} s")
    return asked


def halves(asked: Sequence[Asked]) -> tuple[list[Asked], list[Asked]]:
    """The half that the defaults of the profiles were chosen on, and the other: every second conversation, or question.

    LoCoMo's conversations 0, 2, 4, 6 and 8; of a set with one scope the odd questions, counted from 0.
    """
    scopes = sorted({item.question.scope for item in asked})
    if len(scopes) > 1:
        chosen = [scopes.index(item.question.scope) % 2 == 0 for item in asked]
    else:
        chosen = [place % 2 == 1 for place in range(len(asked))]
    pairs = list(zip(asked, chosen, strict=True))
    return [item for item, on in pairs if on], [item for item, on in pairs if not on]


# Measures ----------------------------------------------------------------------------------------


def recall_at(k: int) -> Measure:
    """Recall among the first k."""
    return lambda item: recall(item.ranked, item.question.relevant, k)


def mrr(item: Asked) -> float:
    """Reciprocal rank."""
    return reciprocal_rank(item.ranked, item.question.relevant)


def ndcg_10(item: Asked) -> float:
    """nDCG of the first ten."""
    return ndcg(item.ranked, item.question.relevant, 10)


def core(asked: Sequence[Asked]) -> list[Asked]:
    """LoCoMo's categories 1 to 4; of any other set, all."""
    return [item for item in asked if item.question.category != "5"]


def average(asked: Sequence[Asked], measure: Measure) -> float:
    """The mean of a measure over questions; NaN without any."""
    return mean(map(measure, asked)) if asked else float("nan")


def estimate(asked: Sequence[Asked], measure: Measure) -> tuple[float, float, float]:
    """Mean, and its interval of 95%."""
    values = [measure(item) for item in asked]
    return (mean(values), *interval(values)) if values else (float("nan"),) * 3


# Printing ----------------------------------------------------------------------------------------


def times(asked: Sequence[Asked]) -> list[str]:
    """Cells: median and 95th percentile of a search, and how many lost a strategy."""
    ms = [item.ms for item in asked if item.ms is not None]
    if not ms:
        return ["–"] * 3
    return [f"{percentile(ms, 0.5):.1f}", f"{percentile(ms, 0.95):.1f}", str(sum(item.dropped for item in asked))]


def cell(value: float | None) -> str:
    """A share as a table cell."""
    return "–" if value is None or isnan(value) else f"{value:.3f}".lstrip("0")


def with_interval(asked: Sequence[Asked], measure: Measure) -> str:
    """A share with its interval."""
    value, low, high = estimate(asked, measure)
    return f"{cell(value)} [{cell(low)}, {cell(high)}]"


def print_locomo(systems: dict[str, list[Asked]]) -> None:
    """LoCoMo's tables."""
    size = len(core(next(iter(systems.values()))))
    heading(
        f"LoCoMo, categories 1–4 ({size} questions), recall of evidence turns with the 95% interval; ms of one search",
        *("system", "R@5", "R@10", "R@20", "MRR", "cat 5 R@10", "p50 ms", "p95 ms", "dropped"),
    )
    for name, asked in systems.items():
        figures = [average(core(asked), recall_at(5)), average(core(asked), recall_at(20)), average(core(asked), mrr)]
        five, twenty, reciprocal = map(cell, figures)
        adversarial = cell(average([item for item in asked if item.question.category == "5"], recall_at(10)))
        ten = with_interval(core(asked), recall_at(10))
        row(f"**{name}**", five, ten, twenty, reciprocal, adversarial, *times(asked))
    for name, published in baselines.LOCOMO.items():
        row(f"{name} (published)", *map(cell, published), None, None, None, None)
    heading("R@10 by category", "system", "multi-hop", "temporal", "commonsense", "single-hop", "adversarial")
    for name, asked in systems.items():
        row(
            name,
            *(
                cell(average([item for item in asked if item.question.category == category], recall_at(10)))
                for category in "12345"
            ),
        )


def print_halves(systems: dict[str, list[Asked]], first: tuple[str, Measure], second: tuple[str, Measure]) -> None:
    """Two measures on the half that defaults were chosen on, and on the other."""
    heading(
        "The half that the profiles were chosen on, and the other",
        *("system", first[0], f"{first[0]}, other half", second[0], f"{second[0]}, other half"),
    )
    for name, asked in systems.items():
        parts = halves(core(asked))
        row(name, *(cell(average(part, measure)) for _, measure in (first, second) for part in parts))


def print_judged(systems: dict[str, list[Asked]], title: str, published: dict[str, float]) -> None:
    """The table of a set of judged documents."""
    size = len(next(iter(systems.values())))
    heading(
        f"{title} ({size} queries), with the 95% interval; ms of one search",
        *("system", "nDCG@10", "R@10", "MRR", "p50 ms", "p95 ms", "dropped"),
    )
    for name, asked in systems.items():
        figures = [average(asked, recall_at(10)), average(asked, mrr)]
        row(f"**{name}**", with_interval(asked, ndcg_10), *map(cell, figures), *times(asked))
    for name, figure in published.items():
        row(f"{name} (published)", cell(figure), None, None, None, None, None)


if __name__ == "__main__":
    sys.exit(main())
