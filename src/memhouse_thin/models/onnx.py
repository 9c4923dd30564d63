"""Run a fetched model; needs the extra ``models`` (onnxruntime and tokenizers)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

# A memory store does not report home: the runtime reads this once, when it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime

from memhouse_thin.models import DEFAULT_EMBEDDER, MANIFEST, ModelError, find_model
from memhouse_thin.results import EmbeddingIdentity

Vector = NDArray[np.float32]


class OnnxModel:
    """A model folder, checked and loaded: its files match the manifest's digests, its output is what it promises.

    One text at a time, because the dynamic int8 quantisation of a batch is shared by its texts: the output
    for a text would depend on its neighbours.
    """

    kind: str

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self.manifest = read_manifest(folder, self.kind)
        for name, digest in self.manifest.get("files", {}).items():
            if _sha256(folder / name) != digest:
                raise ModelError(
                    f"{folder / name} is damaged: its sha256 is not the manifest's. Fetch the model again."
                )
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            # The file may carry settings of its own for both.
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(self.manifest["max_tokens"])
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            self._session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # Both libraries raise classes of their own, or plain Exception.
            raise ModelError(f"The model in {folder} cannot be loaded: {error}") from error
        self._inputs = [node.name for node in self._session.get_inputs()]

    @property
    def name(self) -> str:
        """Model and version, as a breakdown names it."""
        return f"{self.manifest['model']}@{self.manifest['version']}"

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where in a text each of its tokens begins and ends."""
        spans: list[tuple[int, int]] = self._tokenizer.encode(text).offsets
        return spans

    def run(self, text: str, pair: str | None = None) -> Vector:
        """The model's first output for one text, or for a pair of texts."""
        tokens = self._tokenizer.encode(text, pair)
        given = {
            "input_ids": tokens.ids,
            "attention_mask": tokens.attention_mask,
            "token_type_ids": tokens.type_ids,
        }
        try:
            feed = {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}
            output: Vector = self._session.run(None, feed)[0][0]
        except Exception as error:
            raise ModelError(f"{self.name} cannot run; is the tokenizer another model's? {error}") from error
        if not np.isfinite(output).all():
            raise ModelError(f"{self.name} gave NaN or infinity.")
        return output


class OnnxEmbedder(OnnxModel):
    """Turns one text into a unit vector; safe to share between threads.

    The query prefix is in ``identity``; the caller puts it before queries, and only there. Of a text longer
    than the model's window the beginning counts.
    """

    kind = "embedder"

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        super().__init__(folder, threads=threads)
        self.identity = EmbeddingIdentity(
            self.manifest["provider"],
            self.manifest["model"],
            self.manifest["version"],
            self.manifest["dimensions"],
            self.manifest.get("query_prefix", ""),
        )

    @classmethod
    def default(cls, *, threads: int = 1) -> OnnxEmbedder | None:
        """The embedder of the fetched models, or None when they are not there."""
        folder = find_model(DEFAULT_EMBEDDER)
        return None if folder is None else cls(folder, threads=threads)

    def __call__(self, text: str, /) -> Vector:
        states = self.run(text)
        # Without padding every state belongs to the text, so the mean needs no mask.
        vector = states[0] if self.manifest["pooling"] == "cls" else states.mean(axis=0)
        if vector.shape != (self.identity.dimensions,):
            raise ModelError(
                f"{self.name} gave a vector of shape {vector.shape}; its manifest says {self.identity.dimensions}."
            )
        unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit


def read_manifest(folder: Path, kind: str) -> Mapping[str, Any]:
    """What a folder says of its model, if that is of the wanted kind."""
    try:
        manifest: Mapping[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        found = manifest["kind"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{folder} holds no model: {error}. Fetch the models with: python -m memhouse_thin.models.fetch"
        ) from error
    if found != kind:
        raise ModelError(f"{folder} holds a model of kind {found}, not {kind}.")
    return manifest


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
