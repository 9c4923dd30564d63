"""Text and vectors made up for benchmarks: words with the frequencies of a language, vectors in clusters of unequal size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

VOCABULARY = 50_000
DIMENSIONS = 384
CLUSTERS = 500
_LETTERS = np.array(list("bdfgklmnprstvz"))
_VOWELS = np.array(list("aeiou"))


class Corpus:
    """The same statements and vectors for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        draw = np.random.default_rng(seed)
        syllables = np.char.add(draw.choice(_LETTERS, (VOCABULARY, 4)), draw.choice(_VOWELS, (VOCABULARY, 4)))
        lengths = draw.integers(2, 5, VOCABULARY)
        self.words = np.array(["".join(parts[:length]) for parts, length in zip(syllables, lengths, strict=True)])
        # Zipf's law with the exponent of English; the 30 most frequent words stand for what is no stop word here.
        ranks = np.arange(30, VOCABULARY + 30)
        self._weights = np.cumsum(1 / ranks) / np.sum(1 / ranks)
        self._centres = unit(draw.normal(size=(CLUSTERS, DIMENSIONS)))
        sizes = draw.pareto(1.2, CLUSTERS) + 0.2
        self._sizes = sizes / sizes.sum()
        self._draw = draw

    def statements(self, count: int) -> Iterator[str]:
        """Statements of 8 to 24 words, one in four with a name in it."""
        for start in range(0, count, 1000):
            size = min(1000, count - start)
            lengths = self._draw.integers(8, 25, size)
            words = self.words[np.searchsorted(self._weights, self._draw.random(int(lengths.sum())))]
            names = self.words[np.searchsorted(self._weights, self._draw.random(size))]
            place = 0
            for number, length in enumerate(lengths):
                text = " ".join(words[place : place + length])
                place += length
                yield f"{names[number].title()} {text}." if number % 4 == 0 else f"{text.capitalize()}."

    def questions(self, count: int) -> list[str]:
        """Questions of four words, drawn as statements are."""
        picks = self.words[np.searchsorted(self._weights, self._draw.random((count, 4)))]
        return [f"where did {first.title()} {' '.join(rest)}?" for first, *rest in picks]

    def vectors(self, count: int) -> NDArray[np.float32]:
        """Unit vectors around the centres."""
        clusters = self._draw.choice(CLUSTERS, count, p=self._sizes)
        return unit(self._centres[clusters] + self._draw.normal(size=(count, DIMENSIONS)) * 0.04)


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows of length 1."""
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def vector_text(vector: NDArray[np.float32]) -> str:
    """pgvector's text form, as precise as a half-precision number."""
    return "[" + ",".join(f"{value:.4g}" for value in vector) + "]"
