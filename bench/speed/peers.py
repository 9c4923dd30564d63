"""Other memory stores on PostgreSQL, asked the same questions. Run by an interpreter that has them, not by ours:
``python peers.py NAME FOLDER``.

FOLDER holds corpus.json (lists key, scope, text), questions.json (lists text, scope), corpus.npy and questions.npy with
their vectors, and dsn.json. The answer goes to FOLDER/NAME.json: ranked keys and milliseconds of each question.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

LIMIT = 20
DIMENSIONS = 384
#: A question and its scope in, ranked keys out.
Ask = Callable[[str, str], list[str]]


class Given:
    """What the benchmark hands over."""

    def __init__(self, folder: Path) -> None:
        self.corpus = json.loads((folder / "corpus.json").read_text())
        self.questions = json.loads((folder / "questions.json").read_text())
        self.dsn = json.loads((folder / "dsn.json").read_text())
        self.vectors = np.load(folder / "corpus.npy")
        self._of = {text: vector for (_, _, text), vector in zip(self.corpus, self.vectors, strict=True)}
        asked = np.load(folder / "questions.npy")
        self._of |= {text: vector for (text, _), vector in zip(self.questions, asked, strict=True)}

    def embed(self, text: str) -> list[float]:
        """The vector made before: no peer's time holds that of a model."""
        return self._of[text].tolist()

    def url(self, driver: str) -> str:
        """The connection as SQLAlchemy names it."""
        d = self.dsn
        return f"postgresql+{driver}://{d['user']}@/{d['dbname']}?host={d['host']}&port={d['port']}"


def langgraph(given: Given) -> Ask:
    """LangGraph's PostgresStore: vectors by namespace."""
    import psycopg
    from langgraph.store.base import PutOp
    from langgraph.store.postgres import PostgresStore
    from psycopg.rows import dict_row

    conn = psycopg.connect(**given.dsn, autocommit=True, row_factory=dict_row)
    embed = lambda texts: [given.embed(text) for text in texts]  # noqa: E731
    store = PostgresStore(conn, index={"dims": DIMENSIONS, "embed": embed, "fields": ["text"]})
    store.setup()
    for start in range(0, len(given.corpus), 500):
        store.batch(
            [
                PutOp(tuple(scope.split("/")), key, {"text": text})
                for key, scope, text in given.corpus[start : start + 500]
            ]
        )
    conn.execute("analyze")
    return lambda text, scope: [item.key for item in store.search(tuple(scope.split("/")), query=text, limit=LIMIT)]


def langchain(given: Given) -> Ask:
    """LangChain's PGVectorStore with its hybrid search, by reciprocal rank."""
    from langchain_core.embeddings import Embeddings
    from langchain_postgres import Column, PGEngine, PGVectorStore
    from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion

    class Known(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [given.embed(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return given.embed(text)

    config = HybridSearchConfig(
        tsv_column="content_tsv",
        tsv_lang="pg_catalog.english",
        fusion_function=reciprocal_rank_fusion,
        fusion_function_parameters={"rrf_k": 60, "fetch_top_k": LIMIT},
        primary_top_k=LIMIT,
        secondary_top_k=LIMIT,
        index_name="langchain_tsv",
    )
    engine = PGEngine.from_connection_string(given.url("psycopg"))
    columns = [Column("scope", "TEXT"), Column("key", "TEXT")]
    engine.init_vectorstore_table("langchain_doc", DIMENSIONS, metadata_columns=columns, hybrid_search_config=config)
    store = PGVectorStore.create_sync(
        engine,
        table_name="langchain_doc",
        embedding_service=Known(),
        metadata_columns=["scope", "key"],
        hybrid_search_config=config,
        k=LIMIT,
    )
    store.add_embeddings(
        [text for _, _, text in given.corpus],
        given.vectors.tolist(),
        [{"scope": scope, "key": key} for key, scope, _ in given.corpus],
    )
    from langchain_postgres.v2.indexes import HNSWIndex

    store.apply_vector_index(HNSWIndex())
    store.apply_hybrid_search_index()
    return lambda text, scope: [
        found.metadata["key"] for found in store.similarity_search(text, k=LIMIT, filter={"scope": scope})
    ]


def llamaindex(given: Given) -> Ask:
    """LlamaIndex's PGVectorStore under its QueryFusionRetriever, by reciprocal rank."""
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
    from llama_index.vector_stores.postgres import PGVectorStore

    class Known(MockEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return given.embed(query)

    store = PGVectorStore.from_params(
        connection_string=given.url("psycopg2"),
        async_connection_string=given.url("asyncpg"),
        table_name="llamaindex_doc",
        embed_dim=DIMENSIONS,
        hybrid_search=True,
        text_search_config="english",
        hnsw_kwargs={
            "hnsw_m": 16,
            "hnsw_ef_construction": 64,
            "hnsw_ef_search": 40,
            "hnsw_dist_method": "vector_cosine_ops",
        },
    )
    nodes = [
        TextNode(id_=key, text=text, metadata={"scope": scope}, embedding=vector)
        for (key, scope, text), vector in zip(given.corpus, given.vectors.tolist(), strict=True)
    ]
    for start in range(0, len(nodes), 500):
        store.add(nodes[start : start + 500])
    index = VectorStoreIndex.from_vector_store(store, embed_model=Known(embed_dim=DIMENSIONS))
    retrievers = {}
    for scope in {scope for _, scope in given.questions}:
        filters = MetadataFilters(filters=[MetadataFilter(key="scope", value=scope)])
        parts = [
            index.as_retriever(vector_store_query_mode="default", similarity_top_k=LIMIT, filters=filters),
            index.as_retriever(
                vector_store_query_mode="sparse", similarity_top_k=LIMIT, sparse_top_k=LIMIT, filters=filters
            ),
        ]
        retrievers[scope] = QueryFusionRetriever(
            parts,
            llm=MockLLM(),
            mode="reciprocal_rerank",
            similarity_top_k=LIMIT,
            num_queries=1,
            use_async=False,
        )
    return lambda text, scope: [found.node.node_id for found in retrievers[scope].retrieve(text)]


PEERS: dict[str, Callable[[Given], Ask]] = {"langgraph": langgraph, "langchain": langchain, "llamaindex": llamaindex}


def main(name: str, folder: Path) -> None:
    """Load, warm up, ask."""
    given = Given(folder)
    started = time.perf_counter()
    ask = PEERS[name](given)
    loaded = time.perf_counter() - started
    for text, scope in given.questions[:20]:
        ask(text, scope)
    answer: dict[str, Any] = {"loaded_s": loaded, "ranked": [], "ms": []}
    for text, scope in given.questions:
        started = time.perf_counter()
        answer["ranked"].append(ask(text, scope))
        answer["ms"].append((time.perf_counter() - started) * 1000)
    (folder / f"{name}.json").write_text(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
