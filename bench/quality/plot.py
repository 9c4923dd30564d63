"""Quality against latency, drawn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def draw(target: Path, points: Mapping[str, tuple[float, float, float, float]], measure: str) -> None:
    """Each system as a point at its median latency and its quality, with the interval of the latter."""
    # Only a drawing needs it: the extra `bench` brings it.
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for name, (ms, value, low, high) in points.items():
        axes.errorbar(ms, value, yerr=[[value - low], [high - value]], fmt="o", capsize=3)
        axes.annotate(name, (ms, value), textcoords="offset points", xytext=(7, 4))
    axes.set_xscale("log")
    axes.set_xlabel("median latency of a search, ms")
    axes.set_ylabel(f"{measure}, 95% interval")
    axes.grid(alpha=0.3)
    for suffix in (".png", ".svg"):
        figure.savefig(target.with_suffix(suffix), dpi=150)
