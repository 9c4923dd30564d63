-- Models: which may run inside the server, token vectors for reranking, and the identity that an account searches.

set local role memhouse_owner;

alter table memhouse.account add column embedding_identity_id integer references memhouse.embedding_identity;
comment on column memhouse.account.embedding_identity_id is 'The identity this account searches; null is the first one registered.';
create index embedding_by_identity on memhouse.embedding (identity_id);
create index recall_document_by_identity on memhouse.recall_document (identity_id);

create table memhouse.token_vectors (
    account_id uuid not null,
    knowledge_id uuid not null,
    model text not null check (char_length(model) between 1 and 200),
    bits bytea not null,
    primary key (account_id, knowledge_id, model),
    foreign key (account_id, knowledge_id) references memhouse.knowledge on delete cascade
);
-- Signs do not compress; without trying, a row is read in a third of the time.
alter table memhouse.token_vectors alter column bits set storage external;
comment on table memhouse.token_vectors is
    'Token vectors of statements for late interaction, one bit a dimension: 48 bytes a token at 384 dimensions, about 2.4 kB a chat turn.';

create table memhouse.model (
    model_name text primary key check (model_name ~ '^[a-z0-9_]{1,60}$'),
    kind text not null check (kind in ('embedder', 'reranker', 'late_interaction')),
    reads_as text not null,
    identity_id integer references memhouse.embedding_identity,
    check ((kind = 'embedder') = (identity_id is not null))
);
create unique index model_identity on memhouse.model (identity_id) where identity_id is not null;
create unique index model_reranker on memhouse.model (kind) where kind <> 'embedder';
comment on column memhouse.model.reads_as is 'Model and version, as its manifest said when it was allowed; token vectors carry it.';
comment on table memhouse.model is
    'The operator''s list of models that may run inside the server; a name is a folder of model_host.models and nothing else.';

create table memhouse.model_host (
    only_one boolean primary key default true check (only_one),
    library text not null check (library ~ '^/'),
    models text not null check (models ~ '^/')
);
comment on table memhouse.model_host is
    'Where the server''s Python finds memhouse_thin and where the model folders are. Only a superuser sets it: code is loaded from there.';

alter type memhouse.retrieval add attribute more memhouse.hit[];

insert into memhouse.server_setting (name, value, unit, description) values
('model_memory_mb', '512', 'megabytes', 'Models that one backend keeps loaded; the least recently used goes first.'),
('query_cache_entries', '1024', 'vectors', 'Query vectors that one backend keeps, by digest of the text.');

-- Chosen by measurement: names of people are in every turn of a conversation, and a whole list of neighbours outranks
-- what was asked for.
update memhouse.profile set config = jsonb_set(config, '{strategies,entity_match}', '0.1')
where profile_name in ('balanced', 'thorough');
update memhouse.profile
set config = jsonb_set(config, '{strategies,relation_expand}', '0.3')
    || '{"rerank_head": 100, "rerank_weight": 1, "reserved_rerank_ms": 750, "reranker": "cascade"}'
where profile_name = 'thorough';

reset role;
