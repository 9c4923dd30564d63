"""The embedder, with the real model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memhouse_thin.core import Embedder
from memhouse_thin.models import find_model
from memhouse_thin.models.fetch import MODELS


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    folder = find_model()
    if folder is None:
        pytest.skip("no models here (make models)")
    from memhouse_thin.models.onnx import OnnxEmbedder

    return OnnxEmbedder(folder)


def test_identity_is_that_of_the_manifest(embedder: Embedder) -> None:
    manifest = MODELS["bge_small_en"].manifest
    assert isinstance(embedder, Embedder)
    assert embedder.identity.key == "onnx:bge-small-en-v1.5@int8-68807e3f#384"
    assert embedder.identity.query_prefix == manifest["query_prefix"]


@pytest.mark.parametrize("text", ["", "x", "Der Zug fährt um 8:15.", "word " * 5000])
def test_vectors_are_unit_vectors(embedder: Embedder, text: str) -> None:
    vector = embedder(text)
    assert vector.shape == (384,) and vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_text_has_one_vector(embedder: Embedder) -> None:
    first = embedder("Invoices are sent on Mondays.")
    embedder("something else, of another length altogether, in between")
    assert np.array_equal(first, embedder("Invoices are sent on Mondays."))


def test_a_paraphrase_is_nearer_than_another_subject(embedder: Embedder) -> None:
    question = embedder(embedder.identity.query_prefix + "when do customers get their bill?")
    near, far = embedder("Invoices are sent on Mondays."), embedder("The van depot has eleven parking lots.")
    assert question @ near > question @ far + 0.1


def test_refuses_a_folder_of_another_kind(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    from memhouse_thin.models.onnx import OnnxEmbedder

    (tmp_path / "manifest.json").write_text('{"kind": "reranker"}')
    with pytest.raises(ValueError, match="not embedder"):
        OnnxEmbedder(tmp_path)
