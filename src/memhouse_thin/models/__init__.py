"""Local models: where they live, how they come there (``fetch``) and how they run (``onnx``)."""

from __future__ import annotations

import os
from pathlib import Path

#: The text embedder that the demo and the benchmarks use.
DEFAULT_EMBEDDER = "bge_small_en"

#: Written into each model folder last, so a folder that has one is complete.
MANIFEST = "manifest.json"


class ModelError(ValueError):
    """A model that cannot be used; the message says why and what helps."""


def models_dir() -> Path:
    """The folder that holds one folder per model.

    ``MEMHOUSE_MODELS`` names it; else it is ``models`` of the checkout, where this runs from one, or of the
    data directory that the embedded server uses too.
    """
    if chosen := os.environ.get("MEMHOUSE_MODELS"):
        return Path(chosen).expanduser()
    checkout = Path(__file__).parents[3]
    if (checkout / "pyproject.toml").is_file():
        return checkout / "models"
    # Not at the top: models also run inside a server, which needs nothing of what that module imports.
    from memhouse_thin.server import default_home

    return default_home() / "models"


def find_model(name: str = DEFAULT_EMBEDDER) -> Path | None:
    """The folder of a model that has been fetched, else None."""
    folder = models_dir() / name
    return folder if (folder / MANIFEST).is_file() else None
