"""Run a fetched embedder; needs the extra ``models`` (onnxruntime and tokenizers)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memhouse_thin.models import DEFAULT_EMBEDDER, MANIFEST, find_model
from memhouse_thin.results import EmbeddingIdentity


class OnnxEmbedder:
    """Turns one text into a unit vector; safe to share between threads.

    One text at a time, because the dynamic int8 quantisation of a batch is shared by its texts: the vector
    of a text would depend on its neighbours. The query prefix is in ``identity``; the caller puts it before
    queries, and only there.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["kind"] != "embedder":
            raise ValueError(f"{folder} holds a {manifest['kind']}, not an embedder.")
        self.identity = EmbeddingIdentity(
            manifest["provider"],
            manifest["model"],
            manifest["version"],
            manifest["dimensions"],
            manifest["query_prefix"],
        )
        self._pooling: str = manifest["pooling"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # The file may carry settings of its own for both.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(manifest["max_tokens"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = [node.name for node in self._session.get_inputs()]

    @classmethod
    def default(cls, *, threads: int = 1) -> OnnxEmbedder | None:
        """The embedder of the fetched models, or None when they are not there."""
        folder = find_model(DEFAULT_EMBEDDER)
        return None if folder is None else cls(folder, threads=threads)

    def __call__(self, text: str, /) -> NDArray[np.float32]:
        tokens = self._tokenizer.encode(text)
        given = {
            "input_ids": tokens.ids,
            "attention_mask": tokens.attention_mask,
            "token_type_ids": tokens.type_ids,
        }
        feed = {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}
        states: NDArray[np.float32] = self._session.run(None, feed)[0][0]
        # Without padding every state belongs to the text, so the mean needs no mask.
        vector = states[0] if self._pooling == "cls" else states.mean(axis=0)
        unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit
