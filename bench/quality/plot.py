"""Quality against latency, drawn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def draw(target: Path, points: Mapping[str, tuple[float, float, float, float]], measure: str) -> None:
    """Each system as a point at its median latency and its quality, with the interval of the latter."""
    # Only a drawing needs it: the extra `bench` brings it.
    from matplotlib import pyplot, ticker

    figure, axes = pyplot.subplots(figsize=(9, 5), layout="constrained")
    for name, (ms, value, low, high) in points.items():
        axes.errorbar(ms, value, yerr=[[value - low], [high - value]], fmt="o", capsize=3, label=name)
    # Not beside the points, which lie close together.
    figure.legend(loc="outside right upper")
    axes.set_xscale("log")
    for which in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
        which(ticker.ScalarFormatter())
    axes.set_xlabel("median latency of a search, ms")
    axes.set_ylabel(f"{measure}, 95% interval")
    axes.grid(alpha=0.3)
    for suffix in (".png", ".svg"):
        figure.savefig(target.with_suffix(suffix), dpi=150)
