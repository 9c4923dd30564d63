"""memhouse: governed memory for AI agents, inside PostgreSQL. The thin client."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memhouse_thin.aio import AsyncClient
    from memhouse_thin.client import Client
    from memhouse_thin.core import Embedder, QueryCache, Statement
    from memhouse_thin.errors import MemhouseError
    from memhouse_thin.results import (
        EmbeddingIdentity,
        Hit,
        Knowledge,
        Promotion,
        ReaderPosture,
        RegisteredIdentity,
        SearchResult,
        Strategies,
        StrategyOutcome,
    )

__all__ = [
    "AsyncClient",
    "Client",
    "Embedder",
    "EmbeddingIdentity",
    "Hit",
    "Knowledge",
    "MemhouseError",
    "Promotion",
    "QueryCache",
    "ReaderPosture",
    "RegisteredIdentity",
    "SearchResult",
    "Statement",
    "Strategies",
    "StrategyOutcome",
]

_MODULES = {
    "AsyncClient": "aio",
    "Client": "client",
    "Embedder": "core",
    "MemhouseError": "errors",
    "QueryCache": "core",
    "Statement": "core",
}


def __getattr__(name: str) -> Any:
    """Names are imported when first used: models that run inside a server do not load a driver there."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'results')}"), name)
    globals()[name] = value
    return value
