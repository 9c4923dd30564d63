"""Reranking the head of an answer in the client; no I/O.

The server fuses, says how far a profile wants a second look and how much time is kept for it, and hands out the hits
beyond the page that the look reaches to. Where models run inside the server it has reranked already.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable
from uuid import UUID

from memhouse_thin.errors import RerankerFailed
from memhouse_thin.results import Document, Hit, SearchResult

_log = logging.getLogger("memhouse_thin")

#: Statements handed to a plain callable between two looks at the clock.
CHUNK = 5


@runtime_checkable
class Scorer(Protocol):
    """Scores documents from the first, as many as there is time for."""

    @property
    def name(self) -> str: ...

    def score(self, query: str, documents: Sequence[Document], until: float) -> Sequence[float]: ...


class Packer(Protocol):
    """Makes the token vectors that are stored of a statement."""

    @property
    def name(self) -> str: ...

    def pack(self, text: str) -> bytes: ...


@runtime_checkable
class Rerankers(Protocol):
    """Several, one for each kind that a profile can name."""

    def for_kind(self, kind: str) -> Scorer: ...


#: What ``Client`` takes: a callable of the question and some statements that gives their scores, or one of the above.
Reranker = Callable[[str, Sequence[str]], Sequence[float]] | Scorer | Rerankers


@dataclass(frozen=True, slots=True)
class Callback:
    """A plain callable as a scorer: a chunk of statements at a time."""

    function: Callable[[str, Sequence[str]], Sequence[float]]

    @property
    def name(self) -> str:
        """The callable's own name."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def score(self, query: str, documents: Sequence[Document], until: float) -> list[float]:
        """Scores of the documents from the first, as many as there was time for (``time.monotonic``)."""
        scores: list[float] = []
        while len(scores) < len(documents) and time.monotonic() < until:
            chunk = [document.text for document in documents[len(scores) : len(scores) + CHUNK]]
            given = [float(score) for score in self.function(query, chunk)]
            if len(given) != len(chunk):
                raise ValueError(f"{self.name} gave {len(given)} scores for {len(chunk)} statements.")
            scores.extend(given)
        return scores


@dataclass(frozen=True, slots=True)
class Stage:
    """The reranking of one answer, still to be done."""

    query: str
    result: SearchResult
    reranker: Reranker
    until: float
    strict: bool

    @classmethod
    def of(
        cls, query: str, result: SearchResult, reranker: Reranker | None, left_ms: float, strict: bool
    ) -> Stage | None:
        """The stage, if the profile wants one, the server has not done it, and there is somebody to do it."""
        if reranker is None or result.rerank.get("reason_class") != "dependency_unavailable" or not result.hits:
            return None
        until = time.monotonic() + min(left_ms, result.reserved_rerank_ms) / 1000
        return cls(query, result, reranker, until, strict)

    @property
    def head(self) -> tuple[Hit, ...]:
        """The hits to look at, of the page and beyond."""
        beyond = tuple(Hit.from_json(item) for item in self.result.rerank.get("more", ()))
        hits: tuple[Hit, ...] = (self.result.hits + beyond)[: self.result.rerank["head"]]
        return hits

    @property
    def ids(self) -> list[UUID]:
        """The ids of the head."""
        return [hit.id for hit in self.head]

    @property
    def left_ms(self) -> int:
        """What is left of the time, at least a millisecond."""
        return max(1, int((self.until - time.monotonic()) * 1000))

    def scorer(self) -> Scorer | None:
        """Who does it; None when that failed, as a missing model does."""
        try:
            if isinstance(self.reranker, Rerankers):
                return self.reranker.for_kind(self.result.rerank["kind"])
        except Exception as error:
            self._failed(error)
            return None
        return self.reranker if isinstance(self.reranker, Scorer) else Callback(self.reranker)

    def stored_model(self, scorer: Scorer | None) -> str | None:
        """Of which model stored token vectors would help."""
        late = getattr(scorer, "late", scorer)
        name = getattr(late, "name", None) if hasattr(late, "pack") else None
        return name if name is None else str(name)

    def finish(self, scorer: Scorer | None, bits: Mapping[UUID, bytes]) -> SearchResult:
        """The answer in its new order, or as it was with the reason why."""
        started = time.monotonic()
        head = self.head
        scores: Sequence[float] = ()
        reason = None if scorer is not None else "dependency_unavailable"
        if scorer is not None:
            try:
                documents = [Document(hit.statement, bits.get(hit.id), hit.score) for hit in head]
                scores = scorer.score(self.query, documents, self.until)
                if not all(map(math.isfinite, scores)):
                    raise ValueError(f"{scorer.name} gave NaN or infinity.")
                reason = None if scores else "timeout"
            except Exception as error:
                self._failed(error)
                scores, reason = (), "failed"
        told = {
            **{key: self.result.rerank[key] for key in ("head", "weight", "kind")},
            "outcome": "dropped" if reason else "contributed",
            "reason_class": reason,
            "model": None if reason or scorer is None else scorer.name,
            "scored": len(scores),
            "ms": round((time.monotonic() - started) * 1000, 3),
        }
        hits = self.result.hits
        if scores and scorer is not None:
            hits = blended(head, hits[len(head) :], scores, told["weight"], scorer.name)[: len(hits)]
        report = {
            **self.result.report,
            "candidates": [_as_reported(hit, self.result.report, self.result.rerank) for hit in hits],
            "rerank": told,
        }
        return replace(self.result, hits=hits, rerank=told, report=report)

    def _failed(self, error: Exception) -> None:
        if self.strict:
            raise RerankerFailed("The reranker failed.", detail=f"{type(error).__name__}: {error}") from error
        _log.warning("the reranker failed (%s: %s); the answer keeps its order", type(error).__name__, error)


def blended(
    head: Sequence[Hit], rest: Sequence[Hit], scores: Sequence[float], weight: float, model: str
) -> tuple[Hit, ...]:
    """Hits in the order of a reranker: the same sums as ``memhouse._reranked``.

    Among the hits that were scored: weight · reranker + (1 − weight) · what they had, each stretched to 0..1. The
    result is put back into the range their scores had, so what was not scored stays behind and scores compare.
    """
    scored = head[: len(scores)]
    low, high = min(hit.score for hit in scored), max(hit.score for hit in scored)
    least, most = min(scores), max(scores)

    def moved(hit: Hit, raw: float) -> Hit:
        first = 1.0 if high == low else (hit.score - low) / (high - low)
        second = 1.0 if most == least else (raw - least) / (most - least)
        score = low + (high - low) * (weight * second + (1 - weight) * first)
        stage = {"model": model, "raw": raw, "normalised": second, "weight": weight, "before": hit.score}
        return replace(hit, score=score, score_breakdown={**hit.score_breakdown, "rerank": stage, "score": score})

    order = sorted(map(moved, scored, scores), key=lambda hit: -hit.score)
    everyone = (*order, *head[len(scores) :], *rest)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(everyone, start=1))


def _as_reported(hit: Hit, report: Mapping[str, Any], rerank: Mapping[str, Any]) -> dict[str, Any]:
    """The server's JSON of a hit with its new rank and score."""
    found = next(item for item in (*report["candidates"], *rerank.get("more", ())) if item["id"] == str(hit.id))
    return {**found, "rank": hit.rank, "score": hit.score, "score_breakdown": hit.score_breakdown}
