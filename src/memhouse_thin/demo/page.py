"""The demo for a person at a terminal."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import click

from memhouse_thin.cli.render import score_bar
from memhouse_thin.demo.company import Answer, Demo
from memhouse_thin.results import Hit, StrategyOutcome

_GUTTER = " " * 22


def page(demo: Demo, width: int | None = None) -> str:
    """What was asked, by whom, and what each was told; then how to go on."""
    if width is None:
        width = max(72, min(shutil.get_terminal_size((100, 24)).columns, 110))
    lines = list(_introduction(demo, width))
    for question, answers in groupby(demo.answers, key=lambda answer: answer.question):
        lines += ["", click.style(question, bold=True, fg="cyan")]
        for answer in answers:
            lines += ["", *_answer(answer, width)]
    return "\n".join([*lines, "", *_next_steps(demo)])


def _introduction(demo: Demo, width: int) -> Iterator[str]:
    observations, knowledge = demo.imported.observations, demo.imported.knowledge
    yield ""
    yield from textwrap.wrap(
        f"Kestrel Freight remembers {knowledge.new + knowledge.existing} statements, drawn from "
        f"{observations.new + observations.existing} messages, in PostgreSQL {demo.server_version}. "
        "Each reader below asks with its own credential and is told what it may know.",
        width,
    )
    if demo.model is None:
        yield click.style(
            f"No model here, so it works by words alone; to add the semantic strategy: {demo.without_model}",
            fg="yellow",
        )


def _answer(answer: Answer, width: int) -> Iterator[str]:
    yield f"  {click.style(answer.reader.who, bold=True)}"
    for hit in answer.result:
        yield from _hit(hit, width)
    if not answer.result:
        yield "    nothing that this reader may see matches"
    outcomes = answer.result.strategies
    told = [_outcome(item, "") for item in outcomes.contributed]
    told += [_outcome(item, "empty") for item in outcomes.empty]
    told += [_outcome(item, (item.reason_class or "dropped").replace("_", " ")) for item in outcomes.dropped]
    yield click.style(f"    {' · '.join(told)} · {answer.result.total_ms:.1f} ms in all", dim=True)


def _hit(hit: Hit, width: int) -> Iterator[str]:
    about = f"{hit.sensitivity} {hit.kind}" + (f" about {hit.subject_peer}" if hit.subject_peer else "")
    first, *rest = textwrap.wrap(f"{hit.statement} [{about}]", width - len(_GUTTER))
    yield f"    {click.style(score_bar(hit.score), fg='cyan')}  {hit.score:.2f}  {first}"
    yield from (_GUTTER + line for line in rest)


def _outcome(item: StrategyOutcome, said: str) -> str:
    return " ".join(part for part in (item.name, said, f"{item.ms:.1f} ms" if item.ms is not None else "") if part)


def _next_steps(demo: Demo) -> Iterator[str]:
    """Three commands that work as they stand, in any shell that starts here."""
    connection = f"--dsn {shlex.quote(demo.dsn)} --credential {shlex.quote(demo.credential)}"
    yield click.style("To go on, as Dana's agent:", bold=True)
    for command in (
        "search 'why is VAT rounded per line?'",
        "search '\"bank account\" -INC-361' --scope kestrel/billing",
        "remember 'The reconcile job now matches shortened references too.' --scope kestrel/billing",
    ):
        yield f"  {_program()} {command} {connection}"


def _program() -> str:
    """The command as the user can type it here: by name, or beside this Python in an environment not activated."""
    beside = Path(sys.executable).parent / "memhouse"
    return shlex.quote(str(beside)) if beside.exists() and not shutil.which("memhouse") else "memhouse"
