"""Models inside a PostgreSQL backend: what the PL/Python functions of ``90_models`` call.

A backend keeps the models it has used, within ``model_memory_mb``, and the vectors of recent queries by digest.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from memhouse_thin.models import ModelError
from memhouse_thin.models.onnx import OnnxEmbedder, OnnxModel
from memhouse_thin.models.rerank import Cascade, CrossEncoder, LateInteraction
from memhouse_thin.results import Document

M = TypeVar("M", bound=OnnxModel)


class Backend:
    """The models of one server process; it runs one call at a time."""

    def __init__(self) -> None:
        # Folder to model and its megabytes, least recently used first.
        self._models: OrderedDict[str, tuple[OnnxModel, float]] = OrderedDict()
        self._vectors: OrderedDict[tuple[str, str, bytes], list[float]] = OrderedDict()

    def embed(
        self, folder: str, account: str, text: str, query: bool, memory_mb: int, cache_entries: int
    ) -> list[float]:
        """The vector of a statement, or of a query with the model's prefix before it."""
        model = self._load(OnnxEmbedder, folder, memory_mb)
        if not query:
            vector: list[float] = model(text).tolist()
            return vector
        text = model.identity.query_prefix + text
        key = folder, account, hashlib.sha256(text.encode()).digest()
        found = self._vectors.get(key)
        if found is None:
            found = self._vectors[key] = model(text).tolist()
        self._vectors.move_to_end(key)
        while len(self._vectors) > cache_entries:
            self._vectors.popitem(last=False)
        return found

    def rerank(
        self,
        late_folder: str | None,
        cross_folder: str | None,
        query: str,
        texts: Sequence[str],
        bits: Sequence[bytes | None],
        scores: Sequence[float],
        ms: float,
        memory_mb: int,
    ) -> list[float]:
        """Scores of the texts from the first, as many as there are in the time; with both models, their cascade.

        ``scores`` are what the texts had before.
        """
        until = time.monotonic() + ms / 1000
        late = self._load(LateInteraction, late_folder, memory_mb) if late_folder else None
        cross = self._load(CrossEncoder, cross_folder, memory_mb) if cross_folder else None
        scorer = Cascade(late, cross) if late and cross else late or cross
        if scorer is None:
            raise ModelError("No reranker was named.")
        return scorer.score(query, [Document(*parts) for parts in zip(texts, bits, scores, strict=True)], until)

    def status(self) -> list[tuple[str, float]]:
        """The loaded models and the megabytes each took, least recently used first."""
        return [(Path(folder).name, megabytes) for folder, (_, megabytes) in self._models.items()]

    def _load(self, kind: type[M], folder: str, memory_mb: int) -> M:
        if folder in self._models:
            self._models.move_to_end(folder)
            model = self._models[folder][0]
            assert isinstance(model, kind)
            return model
        before = _resident_mb()
        loaded = kind(Path(folder))
        self._models[folder] = loaded, max(0.0, _resident_mb() - before)
        while len(self._models) > 1 and sum(megabytes for _, megabytes in self._models.values()) > memory_mb:
            self._models.popitem(last=False)
        return loaded


def describe(folder: str) -> tuple[str, str, str | None]:
    """Kind, name and identity key of the model in a folder, once it has been loaded and answers."""
    from memhouse_thin.models.onnx import read_manifest

    for kind in (OnnxEmbedder, CrossEncoder, LateInteraction):
        try:
            read_manifest(Path(folder), kind.kind)
        except ModelError:
            continue
        model = kind(Path(folder))
        if isinstance(model, OnnxEmbedder):
            model("probe")
            return model.kind, model.name, model.identity.key
        model.run("probe")
        return model.kind, model.name, None
    raise ModelError(f"{folder} holds no model.")


def _resident_mb() -> float:
    """What this process holds in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
