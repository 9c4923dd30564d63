-- How memory is searched: vector identities and vectors, strategies, profiles, and the types of a read.

set local role memhouse_owner;
-- pgvector may live in any schema; the types below are resolved there once, now.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

create table memhouse.embedding_identity (
    identity_id integer primary key,
    provider text not null check (provider <> ''),
    model text not null check (model <> ''),
    version text not null check (version <> ''),
    dimensions integer not null check (dimensions between 1 and 4000),
    query_prefix text not null default '',
    identity_key text not null generated always as (
        provider || ':' || model || '@' || version || '#' || dimensions::text
    ) stored,
    created_at timestamptz not null default now(),
    unique (provider, model, version, dimensions)
);
comment on table memhouse.embedding_identity is
    'A vector space: provider, model, version and dimensions. Vectors compare only within one; the first one is the default.';
comment on column memhouse.embedding_identity.dimensions is 'Length of a vector; 4,000 is the most that a halfvec HNSW index takes.';

create table memhouse.embedding (
    account_id uuid not null,
    knowledge_id uuid not null,
    identity_id integer not null references memhouse.embedding_identity,
    vec halfvec not null,
    embedded_at timestamptz not null default now(),
    primary key (account_id, knowledge_id, identity_id),
    foreign key (account_id, knowledge_id) references memhouse.knowledge on delete cascade
    -- Vectors of a thousand dimensions and more stay in their row, where comparing one takes a quarter of the time.
) with (toast_tuple_target = 8160);
comment on table memhouse.embedding is
    'Vectors of statements, one per identity. register_embedding_identity adds a partial HNSW index for each identity.';

create table memhouse.strategy (
    name text primary key,
    reads_query boolean not null,
    enabled boolean not null default true,
    description text not null
);
comment on table memhouse.strategy is
    'The strategies there are, and the operator''s allowlist: one that is not enabled never runs, whatever a profile asks for.';
insert into memhouse.strategy (name, reads_query, description) values
('semantic', true, '1 - cosine distance to the query vector, within the reader''s embedding identity'),
('lexical', true, 'full-text rank over statements sharing any term of the query');

create table memhouse.profile (
    account_id uuid not null default '00000000-0000-0000-0000-000000000000',
    scope_id uuid not null default '00000000-0000-0000-0000-000000000000',
    profile_name text not null check (char_length(profile_name) between 1 and 100),
    config jsonb not null,
    version integer not null default 1,
    updated_at timestamptz not null default now(),
    primary key (account_id, scope_id, profile_name)
);
comment on table memhouse.profile is
    'Retrieval profiles. The nil account holds the defaults of the server, the nil scope those of an account; the nearest on the scope''s path wins.';
insert into memhouse.profile (profile_name, config) values
('fast', '{"strategies": {"semantic": 1}, "rrf_k": 15, "depth": 100, "deadline_ms": 100}'),
('balanced', '{"strategies": {"semantic": 1, "lexical": 1}, "rrf_k": 15, "depth": 100, "deadline_ms": 300}'),
('thorough', '{"strategies": {"semantic": 1, "lexical": 1}, "rrf_k": 15, "depth": 100, "deadline_ms": 1500}');

create type memhouse.analyzed_query as (
    mode text,
    terms tsquery,
    lexemes text[],
    terms_ignored integer,
    analyzer_version text
);
comment on type memhouse.analyzed_query is
    'A query as lexical reads it: mode any or websearch, the tsquery (null when nothing is left), its lexemes, how many were over the cap.';
create type memhouse.filters as (
    kinds memhouse.knowledge_kind[],
    subject_peer_id uuid,
    ids uuid[],
    min_confidence real,
    recorded_after timestamptz,
    recorded_before timestamptz
);
comment on type memhouse.filters is 'p_filters, parsed; a null field does not filter.';
create type memhouse.request as (
    account_id uuid,
    query text,
    analyzed memhouse.analyzed_query,
    audiences bigint[],
    embedding halfvec,
    identity_id integer,
    dimensions integer,
    as_of timestamptz,
    filters memhouse.filters
);
create type memhouse.candidate as (
    id uuid,
    score double precision,
    detail jsonb
);
comment on type memhouse.candidate is 'One proposal of one strategy, in that strategy''s own scoring space.';
create type memhouse.listed_candidate as (
    strategy text,
    id uuid,
    score double precision,
    detail jsonb
);
comment on type memhouse.listed_candidate is 'A candidate with the strategy that proposed it; the input of fusion.';
create type memhouse.outcome as (
    strategy text,
    outcome text,
    reason_class text,
    ms double precision,
    candidates integer
);
comment on type memhouse.outcome is 'How one strategy fared: contributed, empty, dropped or not_applicable, why, and in how many milliseconds.';
create type memhouse.hit as (
    rank integer,
    id uuid,
    statement text,
    score double precision,
    fusion_score double precision,
    score_breakdown jsonb,
    kind text,
    subject_peer text,
    scope text,
    sensitivity text,
    confidence real,
    relevant_from timestamptz,
    relevant_until timestamptz,
    recorded_at timestamptz,
    sources uuid[]
);
comment on type memhouse.hit is 'One row of an answer, in answer order.';
create type memhouse.retrieval as (
    hits memhouse.hit[],
    posture text,
    profile text,
    profile_version text,
    outcomes memhouse.outcome[],
    retrieval_outcomes jsonb,
    disagreement jsonb,
    analyzer_version text,
    terms_ignored integer,
    deadline_ms integer,
    elapsed_ms double precision,
    reserved_rerank_ms integer
);
comment on type memhouse.retrieval is 'Everything one read found out; search returns its hits, search_report all of it.';

reset role;
