"""Vectors kept on disk, so that a second run embeds nothing."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memhouse_thin.models.fetch import sha256
from memhouse_thin.models.onnx import OnnxEmbedder


class CachedEmbedder:
    """An embedder whose vectors are found again by model checksum and text digest."""

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        cache = cache or base / "memhouse" / "bench"
        cache.mkdir(parents=True, exist_ok=True)
        self._model = OnnxEmbedder(folder)
        self.identity = self._model.identity
        self._db = sqlite3.connect(cache / f"{sha256(folder / 'model.onnx')[:16]}.sqlite", isolation_level=None)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = normal")
        self._db.execute("create table if not exists vector (digest blob primary key, vec blob not null)")

    def __call__(self, text: str, /) -> NDArray[np.float32]:
        digest = hashlib.sha256(text.encode()).digest()
        found = self._db.execute("select vec from vector where digest = ?", (digest,)).fetchone()
        if found:
            return np.frombuffer(found[0], dtype=np.float32)
        vector = self._model(text)
        self._db.execute("insert or replace into vector values (?, ?)", (digest, vector.tobytes()))
        return vector
