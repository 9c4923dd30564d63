"""An answer, drawn for a person."""

from __future__ import annotations

import shutil
import textwrap

import click

from memhouse_thin.results import Hit, SearchResult, Strategies, StrategyOutcome

_BAR = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_GUTTER = 4 + _BAR + 7


def score_bar(score: float) -> str:
    """A score of 0 to 1 as a bar of ten cells, drawn to an eighth of a cell."""
    eighths = round(min(max(score, 0.0), 1.0) * _BAR * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_BAR)


def render_search(result: SearchResult, width: int | None = None) -> str:
    """The hits as a table, then how they were found."""
    if width is None:
        width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 120))
    lines = [line for hit in result for line in _hit(hit, width)]
    if not lines:
        lines = ["Nothing that this reader may see matches.", ""]
    return "\n".join([*lines, *_strategies(result.strategies), "", _footer(result)])


def _hit(hit: Hit, width: int) -> list[str]:
    texts = textwrap.wrap(hit.statement, width - _GUTTER, break_long_words=True) or [""]
    head = f"{click.style(f'{hit.rank:>3}', bold=True)} {click.style(score_bar(hit.score), fg='cyan')} {hit.score:.3f} "
    about = [hit.scope, hit.kind, hit.sensitivity]
    if hit.subject_peer:
        about.insert(1, f"about {hit.subject_peer}")
    found_by = " + ".join(hit.found_by)
    indent = " " * _GUTTER
    footer = " · ".join(about) + (f" · {found_by}" if found_by else "")
    return [
        head + " " + texts[0],
        *(indent + text for text in texts[1:]),
        *(indent + click.style(text, dim=True) for text in textwrap.wrap(footer, width - _GUTTER)),
        "",
    ]


_COLOURS = {"contributed": "green", "empty": "yellow", "dropped": "red", "not_applicable": "white"}


def _strategies(strategies: Strategies) -> list[str]:
    def line(outcome: str, item: StrategyOutcome) -> str:
        ms = "" if item.ms is None else f"{item.ms:.1f} ms"
        candidates = f"{item.candidates} candidate{'s' * (item.candidates != 1)}" if item.candidates else ""
        reason = (item.reason_class or "").replace("_", " ")
        label = click.style(f"{outcome.replace('_', ' '):<15}", fg=_COLOURS[outcome])
        return f"    {item.name:<17}{label}{ms:>9}  {candidates or reason}".rstrip()

    return [line(outcome, item) for outcome in _COLOURS for item in getattr(strategies, outcome)]


def _footer(result: SearchResult) -> str:
    reader = result.reader_posture.replace("_", " ")
    if result.reader.peer_key:
        reader += f" {result.reader.peer_key}"
    profile = result.profile_version
    if result.profile not in profile:
        profile = f"{result.profile} {profile}"
    times = f"{result.elapsed_ms:.1f} ms in the server, {result.total_ms:.1f} in all, of {result.deadline_ms}"
    return click.style(f"    reader: {reader} · profile: {profile} · {times}", dim=True)
