"""What the benchmarks print: Markdown tables on standard output, progress on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import numpy as np
import psycopg

from memhouse_thin import SearchResult


def say(line: str) -> None:
    """Progress, apart from the tables."""
    print(line, file=sys.stderr, flush=True)


def heading(title: str, *columns: str) -> None:
    """A title and the first two lines of its table."""
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|", flush=True)


def row(*cells: object) -> None:
    """One line of a table; a float is shown with three significant figures."""
    print(f"| {' | '.join(figure(cell) for cell in cells)} |", flush=True)


def figure(cell: object) -> str:
    """A cell as text; None is a dash."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def quantiles(ms: Sequence[float]) -> tuple[float, float, float]:
    """Median, 95th and 99th percentile."""
    p50, p95, p99 = np.percentile(ms, [50, 95, 99])
    return float(p50), float(p95), float(p99)


def slowest_strategy(result: SearchResult) -> float:
    """The milliseconds of the strategy of a search that took longest."""
    return max(outcome.ms or 0.0 for outcome in (*result.strategies.contributed, *result.strategies.empty))


def machine(conn: psycopg.Connection) -> str:
    """Under what the figures of a table were measured."""
    (buffers,) = conn.execute("select current_setting('shared_buffers')").fetchone() or ("",)
    version, load = conn.info.parameter_status("server_version"), os.getloadavg()[0]
    return f"PostgreSQL {version}, {os.cpu_count()} cores, shared_buffers {buffers}, load {load:.1f} at the start"
