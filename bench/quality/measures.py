"""Recall, reciprocal rank and nDCG of ranked source keys."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np


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


def rrf(lists: Iterable[Sequence[Hashable]], k: int = 60) -> list[Hashable]:
    """Reciprocal rank fusion, for comparison: the sum of 1 / (k + rank) over the lists."""
    scores: dict[Hashable, float] = {}
    for ranked in lists:
        for rank, key in enumerate(ranked, start=1):
            scores[key] = scores.get(key, 0) + 1 / (k + rank)
    return sorted(scores, key=lambda key: -scores[key])


def interval(values: Sequence[float], samples: int = 1000) -> tuple[float, float]:
    """The 95% bootstrap interval of the mean, over questions; the same for the same values."""
    drawn = np.random.default_rng(7).integers(0, len(values), (samples, len(values)))
    low, high = np.percentile(np.asarray(values)[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that the given share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
