"""Rerankers: a second, closer look at the head of an answer; needs the extra ``models``.

Two kinds. A *cross-encoder* reads the question and a statement together: the best judge and the slowest, some
milliseconds a statement. *Late interaction* compares the question's token vectors with those of the statement
(MaxSim: for each token of the question its best match, averaged); the statement's are stored beforehand, one bit
a dimension, so a statement costs microseconds. ``Cascade`` is one after the other: late interaction says which
statements the cross-encoder should read, and which passage of a long one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memhouse_thin.models import ModelError, find_model
from memhouse_thin.models.onnx import OnnxModel, Vector
from memhouse_thin.results import Document

#: Statements with stored vectors that late interaction takes between two looks at the clock, and a cross-encoder.
LATE_CHUNK, CROSS_CHUNK = 25, 2

#: How many statements a cascade's cross-encoder reads.
CASCADE_HEAD = 15

#: The share of late interaction in a cascade's first score; the rest is what the statements had before.
LATE_SHARE = 0.5

#: The share of the cross-encoder in the final score of what it read; the rest is the first score's.
CROSS_SHARE = 0.7

#: Tokens of a longer statement that a cascade's cross-encoder reads, and how far apart passages may begin. Cross-encoders
#: are trained on passages, and a whole page costs as much as ten of them.
PASSAGE, STRIDE = 128, 16


class CrossEncoder(OnnxModel):
    """Scores a statement against a question by reading both at once."""

    kind = "reranker"

    def score(self, query: str, documents: Sequence[Document], until: float) -> list[float]:
        """Scores of the documents from the first, as many as there was time for (``time.monotonic``)."""
        scores: list[float] = []
        while len(scores) < len(documents) and time.monotonic() < until:
            for document in documents[len(scores) : len(scores) + CROSS_CHUNK]:
                scores.append(float(self.run(query, document.text).ravel()[-1]))
        return scores


class LateInteraction(OnnxModel):
    """Scores a statement by its stored token vectors; one without any is encoded on the way."""

    kind = "late_interaction"

    def tokens(self, text: str) -> Vector:
        """The unit vector of each token of a text."""
        states = self.run(text)
        if states.ndim != 2 or states.shape[1] != self.manifest["dimensions"]:
            raise ModelError(f"{self.name} gave vectors of another dimension than its manifest says.")
        unit: Vector = states / np.linalg.norm(states, axis=1, keepdims=True)
        return unit

    def pack(self, text: str) -> bytes:
        """What is stored of a statement: the sign of each dimension of each token."""
        return np.packbits(self.tokens(text) > 0, axis=1).tobytes()

    def score(self, query: str, documents: Sequence[Document], until: float) -> list[float]:
        """Scores of the documents from the first, as many as there was time for (``time.monotonic``)."""
        asked = self.tokens(query)
        return [self.max_sim(asked, bits) for bits in self.packed(documents, until)]

    def packed(self, documents: Sequence[Document], until: float) -> Iterator[bytes]:
        """The token vectors of the documents from the first, as many as there is time for."""
        for place, document in enumerate(documents):
            # What is stored costs next to nothing, the clock included.
            if (document.bits is None or place % LATE_CHUNK == 0) and time.monotonic() >= until:
                return
            yield self.pack(document.text) if document.bits is None else document.bits

    def max_sim(self, asked: Vector, bits: bytes) -> float:
        """How well token vectors answer those of a question."""
        return float(self._similarities(asked, bits).max(axis=1).mean())

    def passage(self, asked: Vector, text: str, bits: bytes) -> tuple[str, float]:
        """The part of a text that answers a question best, of PASSAGE tokens, and what share of the text it is."""
        spans = self.spans(text)
        last = len(spans) - 1 - PASSAGE
        if last <= 1:
            return text, 1.0
        alike = self._similarities(asked, bits)
        # The first and the last vector belong to no word.
        starts = [*range(1, last, STRIDE), last]
        best = max(starts, key=lambda start: float(alike[:, start : start + PASSAGE].max(axis=1).sum()))
        return text[spans[best][0] : spans[best + PASSAGE - 1][1]], PASSAGE / (len(spans) - 2)

    def _similarities(self, asked: Vector, bits: bytes) -> Vector:
        """Of each token of a question with each of a text."""
        width = self.manifest["dimensions"]
        if not bits or len(bits) * 8 % width:
            raise ModelError(f"Stored token vectors are not of {self.name}: {len(bits)} bytes.")
        signs: NDArray[np.uint8] = np.unpackbits(np.frombuffer(bits, np.uint8).reshape(-1, width // 8), axis=1)
        # A sign is 2 * bit - 1; the constant part of the product is the same for every token.
        alike: Vector = 2 * (asked @ signs.T.astype(np.float32)) - asked.sum(axis=1, keepdims=True)
        return alike


class Cascade:
    """Late interaction over the whole head, then the cross-encoder over the best of it.

    ``first = LATE_SHARE · late interaction + (1 - LATE_SHARE) · score before``, each stretched to 0..1. The cross-encoder reads
    the CASCADE_HEAD statements with the highest; of a long one the passage that late interaction likes best, and its verdict
    (stretched too) counts for the square of the share of the statement that this is. Reading only adds:
    ``(1 - CROSS_SHARE) · first + CROSS_SHARE · (share² · verdict + (1 - share²) · first)``, and without the second part
    where nothing was read.
    """

    def __init__(self, late: LateInteraction, cross: CrossEncoder) -> None:
        self.late = late
        self.cross = cross

    @property
    def name(self) -> str:
        """Both models."""
        return f"{self.late.name} + {self.cross.name}"

    def score(self, query: str, documents: Sequence[Document], until: float) -> list[float]:
        """Scores from 0 to 1 of the documents from the first, as many as there was time for."""
        asked = self.late.tokens(query)
        # Half of the time at most: statements without stored vectors could take all of it.
        bits = list(self.late.packed(documents, until - max(0.0, until - time.monotonic()) / 2))
        late = spread([self.late.max_sim(asked, packed) for packed in bits])
        before = spread([document.score for document in documents[: len(bits)]])
        first = [LATE_SHARE * new + (1 - LATE_SHARE) * old for new, old in zip(late, before, strict=True)]
        best = sorted(range(len(first)), key=lambda place: -first[place])[:CASCADE_HEAD]
        passages = [self.late.passage(asked, documents[place].text, bits[place]) for place in best]
        verdicts = spread(self.cross.score(query, [Document(text) for text, _ in passages], until))
        final = [(1 - CROSS_SHARE) * score for score in first]
        for place, verdict, (_, share) in zip(best, verdicts, passages, strict=False):
            final[place] += CROSS_SHARE * (share**2 * verdict + (1 - share**2) * first[place])
        return final


Scorer = CrossEncoder | LateInteraction | Cascade

#: The names by which a profile chooses, and the model folders each needs.
KINDS: dict[str, tuple[str, ...]] = {
    "cross_encoder": ("reranker_en",),
    "late_interaction": ("colbert",),
    "cascade": ("colbert", "reranker_en"),
}


def spread(scores: Sequence[float]) -> list[float]:
    """Scores stretched to 0..1; all 1 where they do not differ."""
    low, high = (min(scores), max(scores)) if scores else (0.0, 0.0)
    return [1.0 if high == low else (score - low) / (high - low) for score in scores]


class LocalRerankers:
    """The rerankers of the fetched models, for ``Client(reranker=...)``.

    Each is loaded when a profile first asks for it, which takes a part of that answer's time; ``load`` does it ahead.
    """

    def __init__(self, *, threads: int = 1, find: Callable[[str], Path | None] = find_model) -> None:
        self._threads = threads
        self._find = find
        self._cross: CrossEncoder | None = None
        self._late: LateInteraction | None = None

    def load(self) -> LocalRerankers:
        """Load them now."""
        self.for_kind("cascade")
        return self

    def for_kind(self, kind: str) -> Scorer:
        """The reranker that a profile names; ``ModelError`` when its models are not here."""
        if kind == "cross_encoder":
            return self.cross
        if kind == "late_interaction":
            return self.late
        return Cascade(self.late, self.cross)

    @property
    def cross(self) -> CrossEncoder:
        """The cross-encoder."""
        if self._cross is None:
            self._cross = CrossEncoder(self._folder("reranker_en"), threads=self._threads)
        return self._cross

    @property
    def late(self) -> LateInteraction:
        """The model of late interaction."""
        if self._late is None:
            self._late = LateInteraction(self._folder("colbert"), threads=self._threads)
        return self._late

    def _folder(self, name: str) -> Path:
        folder = self._find(name)
        if folder is None:
            raise ModelError(f"The model {name} is not here. Fetch it with: python -m memhouse_thin.models.fetch")
        return folder
