"""memhouse: governed memory for AI agents, inside PostgreSQL. The thin client."""

from memhouse_thin.aio import AsyncClient
from memhouse_thin.client import Client
from memhouse_thin.core import Embedder, QueryCache, Statement
from memhouse_thin.errors import MemhouseError
from memhouse_thin.results import (
    EmbeddingIdentity,
    Hit,
    Knowledge,
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
    "QueryCache",
    "ReaderPosture",
    "RegisteredIdentity",
    "SearchResult",
    "Statement",
    "Strategies",
    "StrategyOutcome",
]
