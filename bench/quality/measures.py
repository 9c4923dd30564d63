"""Recall, reciprocal rank and nDCG of ranked source keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def recall(ranked: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """The share of what is relevant among the first k."""
    return sum(key in relevant for key in ranked[:k]) / len(relevant)


def reciprocal_rank(ranked: Sequence[str], relevant: Mapping[str, int]) -> float:
    """One over the rank of the first relevant key, 0 when there is none."""
    return next((1 / rank for rank, key in enumerate(ranked, start=1) if key in relevant), 0.0)


def ndcg(ranked: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """Discounted gain of the first k over that of the best order."""
    gain = sum(relevant.get(key, 0) / math.log2(rank + 1) for rank, key in enumerate(ranked[:k], start=1))
    best = sorted(relevant.values(), reverse=True)[:k]
    return gain / sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, start=1))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that the given share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
