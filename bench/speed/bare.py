"""The same work by hand: bare SQL as superuser, without admission, and the one-statement hybrid search that many use."""

from __future__ import annotations

import time
from collections.abc import Sequence
from uuid import UUID

import psycopg

from bench.account import BenchAccount
from bench.quality.datasets import Question
from memhouse_thin import core

DEPTH = 100

#: The rows of the product in tables and indexes as one would make them by hand.
TABLES = """
drop schema if exists bench_bare cascade;
create schema bench_bare;
create table bench_bare.knowledge as
    select account_id, knowledge_id, scope_id, lifecycle_state, statement, to_tsvector('pg_catalog.english', statement) as tsv
    from memhouse.knowledge;
alter table bench_bare.knowledge add primary key (account_id, knowledge_id);
create index on bench_bare.knowledge (account_id, scope_id);
create index on bench_bare.knowledge using gin (tsv);
create table bench_bare.embedding as select account_id, knowledge_id, vec from memhouse.embedding;
alter table bench_bare.embedding add primary key (account_id, knowledge_id);
create table bench_bare.entity_mention as select account_id, name_key, knowledge_id, confidence from memhouse.entity_mention;
alter table bench_bare.entity_mention add primary key (account_id, name_key, knowledge_id);
"""

#: The strategies of `balanced` as one would write them by hand.
STRATEGIES = {
    "semantic": """
        select e.knowledge_id, 1 - (e.vec <=> %(vector)s::halfvec) as score
        from bench_bare.embedding as e
        join bench_bare.knowledge as k on k.account_id = e.account_id and k.knowledge_id = e.knowledge_id
        where e.account_id = %(account)s and k.scope_id = any (%(scopes)s) and k.lifecycle_state = 'active'
        order by e.vec <=> %(vector)s::halfvec limit %(depth)s
        """,
    "lexical": """
        select k.knowledge_id, ts_rank_cd(k.tsv, %(terms)s::tsquery) as score
        from bench_bare.knowledge as k
        where k.account_id = %(account)s and k.scope_id = any (%(scopes)s) and k.lifecycle_state = 'active'
          and k.tsv @@ %(terms)s::tsquery
        order by score desc limit %(depth)s
        """,
    "entity_match": """
        with known as (
            select m.name_key, ln(1 + n.total::float8 / count(*)) as idf
            from bench_bare.entity_mention as m
            join bench_bare.knowledge as k on k.account_id = m.account_id and k.knowledge_id = m.knowledge_id
            cross join (select count(*) as total from bench_bare.knowledge
                        where account_id = %(account)s and scope_id = any (%(scopes)s)) as n
            where m.account_id = %(account)s and m.name_key = any (%(names)s) and k.scope_id = any (%(scopes)s)
            group by m.name_key, n.total
            having count(*) <= greatest(n.total / 4, 5)
        )
        select m.knowledge_id, sum(w.idf * m.confidence) as score
        from bench_bare.entity_mention as m
        join known as w on w.name_key = m.name_key
        join bench_bare.knowledge as k on k.account_id = m.account_id and k.knowledge_id = m.knowledge_id
        where m.account_id = %(account)s and k.scope_id = any (%(scopes)s) and k.lifecycle_state = 'active'
        group by m.knowledge_id
        order by score desc limit %(depth)s
        """,
}

#: The hybrid search in one function: full text and vectors, each with a limit, joined by reciprocal rank.
HYBRID = """
create table document (
    id bigint generated always as identity primary key,
    source_key text not null,
    scope text not null,
    content text not null,
    fts tsvector generated always as (to_tsvector('english', content)) stored,
    embedding vector(384)
);
create function hybrid_search(
    query_text text, query_embedding vector(384), match_count int, wanted_scope text, any_term boolean,
    full_text_weight float = 1, semantic_weight float = 1, rrf_k int = 50
)
returns table (source_key text) language sql stable as $$
with terms as (
    select case when any_term then replace(plainto_tsquery('english', query_text)::text, ' & ', ' | ')::tsquery
                else websearch_to_tsquery('english', query_text) end as query
),
full_text as (
    select id, row_number() over (order by ts_rank_cd(fts, terms.query) desc) as place
    from document, terms
    where fts @@ terms.query and scope = wanted_scope
    order by place limit match_count
),
semantic as (
    select id, row_number() over (order by embedding <=> query_embedding) as place
    from document
    where scope = wanted_scope
    order by place limit match_count
)
select document.source_key
from full_text full outer join semantic on full_text.id = semantic.id
join document on document.id = coalesce(full_text.id, semantic.id)
order by coalesce(1.0 / (rrf_k + full_text.place), 0.0) * full_text_weight
       + coalesce(1.0 / (rrf_k + semantic.place), 0.0) * semantic_weight desc
limit match_count
$$
"""
HYBRID_INDEXES = """
create index on document using gin (fts);
create index on document using hnsw (embedding vector_cosine_ops);
create index on document (scope);
analyze document
"""


class Bare:
    """The hand-written strategies, one statement each."""

    def __init__(self, account: BenchAccount) -> None:
        self._conn = psycopg.connect(account.dsn, autocommit=True)
        (vector,) = one(
            self._conn,
            "select quote_ident(nspname) from pg_extension join pg_namespace as n on n.oid = extnamespace"
            " where extname = 'vector'",
        )
        self._conn.execute(f"set search_path = public, {vector}")
        self._conn.execute(TABLES)
        self._conn.execute("vacuum analyze bench_bare.knowledge, bench_bare.embedding, bench_bare.entity_mention")
        (self._account,) = one(
            self._conn, "select account_id from memhouse.account where account_key = %s", account.account
        )

    def close(self) -> None:
        """Drop its tables."""
        self._conn.execute("drop schema bench_bare cascade")
        self._conn.close()

    def parameters(self, question: Question, vector: Sequence[float]) -> dict[str, object]:
        """What the statements take, made before the clock runs: the terms and names that the product would use."""
        (terms, names) = one(
            self._conn,
            "select (memhouse.analyze_query(%s)).terms::text, memhouse.entity_keys(%s)",
            question.text,
            question.text,
        )
        (scopes,) = one(
            self._conn,
            "select path from memhouse.scope where account_id = %s and scope_key = %s",
            self._account,
            question.scope,
        )
        return {
            "account": self._account,
            "scopes": scopes,
            "vector": core.vector_text(vector),
            "terms": terms or "",
            "names": names,
            "depth": DEPTH,
        }

    def ask(self, parameters: dict[str, object]) -> dict[str, tuple[float, list[UUID]]]:
        """Milliseconds and ids of each strategy."""
        found = {}
        for name, statement in STRATEGIES.items():
            started = time.perf_counter()
            rows = self._conn.execute(statement, parameters).fetchall()
            found[name] = ((time.perf_counter() - started) * 1000, [id for id, _ in rows])
        return found


class Hybrid:
    """The one-statement hybrid search, over a table of its own."""

    def __init__(self, dsn: str, rows: Sequence[tuple[str, str, str, str]]) -> None:
        self._conn = psycopg.connect(dsn, autocommit=True)
        self._conn.execute("create extension if not exists vector")
        self._conn.execute(HYBRID)
        with (
            self._conn.cursor() as cursor,
            cursor.copy("copy document (source_key, scope, content, embedding) from stdin") as copy,
        ):
            for row in rows:
                copy.write_row(row)
        self._conn.execute(HYBRID_INDEXES)

    def ask(self, question: Question, vector: str, limit: int, *, any_term: bool) -> tuple[float, list[str]]:
        """Milliseconds and source keys."""
        started = time.perf_counter()
        rows = self._conn.execute(
            "select source_key from hybrid_search(%s, %s::vector, %s, %s, %s)",
            (question.text, vector, limit, question.scope, any_term),
        ).fetchall()
        return (time.perf_counter() - started) * 1000, [key for (key,) in rows]


def one(conn: psycopg.Connection, query: str, *parameters: object) -> tuple:
    """The one row of a query."""
    row = conn.execute(query, parameters or None).fetchone()
    assert row is not None
    return row
