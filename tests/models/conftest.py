"""The furnished database, here also with models inside the server; the real models, or none."""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import memhouse_thin
from memhouse_thin.models import models_dir
from memhouse_thin.server import system_user
from support.house import House, furnish, house, own_house  # noqa: F401
from support.servers import Server

MODELS = ("bge_small_en", "colbert", "reranker_en")


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder of the fetched models."""
    pytest.importorskip("onnxruntime")
    folder = models_dir()
    if not all((folder / name / "manifest.json").is_file() for name in MODELS):
        pytest.skip("no models here (make models)")
    return folder


@pytest.fixture(scope="session")
def model_host(models: Path) -> Iterator[tuple[str, str]]:
    """A library folder and a models folder that the server's account can enter."""
    base = Path(tempfile.mkdtemp(prefix="memhouse-models-"))
    base.chmod(0o755)
    user = system_user()

    def reachable(path: Path, name: str) -> Path:
        if user is None or user.may_reach(path / "x"):
            return path
        shutil.copytree(path, base / name, ignore=shutil.ignore_patterns("__pycache__"))
        for folder in (base / name).rglob("*"):
            folder.chmod(0o755)
        (base / name).chmod(0o755)
        return base / name

    packages = reachable(Path(sysconfig.get_path("purelib")), "packages")
    source = reachable(Path(memhouse_thin.__file__).parents[1], "source")
    library = base / "library"
    library.mkdir(mode=0o755)
    (library / "memhouse.pth").write_text(f"{packages}\n{source}\n")
    yield str(library), str(reachable(models, "models"))
    shutil.rmtree(base)


@pytest.fixture
def modelled(server: Server, database: str, model_host: tuple[str, str]) -> Iterator[House]:
    """An account of the test's own, on a server that runs models itself."""
    name = server.create_database(template=database)
    made = furnish(server.dsn(name))
    made.execute(
        "create function python() returns int[] language plpython3u as 'import sys; return list(sys.version_info[:2])'"
    )
    if tuple(made.execute("select python()")[0][0]) != sys.version_info[:2]:
        pytest.skip("the server's Python is another version than this one, whose packages it cannot use")
    made.execute("select memhouse.set_model_host(%s, %s)", *model_host)
    yield made
    server.drop_database(name)
