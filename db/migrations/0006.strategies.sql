-- What the other strategies read: the mention index, recall documents, and more of a request.

set local role memhouse_owner;
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

create table memhouse.entity_mention (
    account_id uuid not null,
    name_key text not null,
    audience bigint not null,
    knowledge_id uuid not null,
    confidence real not null check (confidence > 0 and confidence <= 1),
    primary key (account_id, name_key, audience, knowledge_id),
    foreign key (account_id, knowledge_id) references memhouse.knowledge on delete cascade
);
-- The statement first: an index that begins with the account would do for all that it holds, and names are looked up without it.
create index entity_mention_knowledge on memhouse.entity_mention (knowledge_id, account_id);
comment on table memhouse.entity_mention is
    'Which statements mention which entity, by normalised name: a rebuildable index that no name leaves (rebuild_entities).';
comment on column memhouse.entity_mention.audience is 'That of the statement, kept equal by a trigger: an index then leads past what is other people''s.';

create table memhouse.entity_alias (
    account_id uuid not null references memhouse.account on delete cascade,
    alias_key text not null,
    name_key text not null,
    confirmed boolean not null default false,
    proposed_at timestamptz not null default now(),
    primary key (account_id, alias_key, name_key),
    check (alias_key <> name_key)
);
create unique index entity_alias_confirmed on memhouse.entity_alias (account_id, alias_key) where confirmed;
comment on table memhouse.entity_alias is
    'Names that may be one entity. A proposal changes nothing until somebody confirms it (confirm_entity_alias).';

create table memhouse.recall_document (
    account_id uuid not null,
    knowledge_id uuid not null,
    identity_id integer not null references memhouse.embedding_identity,
    lane text not null check (lane in ('direct', 'derived')),
    operation text not null,
    vec halfvec not null,
    source_watermark timestamptz not null,
    primary key (account_id, knowledge_id, identity_id),
    foreign key (account_id, knowledge_id) references memhouse.knowledge on delete cascade
    -- As those of embedding.
) with (toast_tuple_target = 8160);
comment on table memhouse.recall_document is
    'Projection for the minimal profile: embedded statements by lane, direct or derived. Never authoritative: a read joins knowledge and uses a document only while its watermark equals knowledge.changed_at.';

alter type memhouse.request
    add attribute eligible integer,
    add attribute admitted uuid[],
    add attribute seeds memhouse.listed_candidate[];
comment on type memhouse.request is
    'What every strategy is handed. account_id, audiences: of the reader, for looking up; the views decide; eligible: how many statements it may retrieve, where they are more than exact_scan_rows; admitted: which, where they were judged beforehand; seeds: what the strategies before found.';

alter type memhouse.retrieval add attribute rerank jsonb;

create type memhouse.search_plan as (
    request memhouse.request,
    profile_name text,
    profile_version text,
    config jsonb,
    page_limit integer,
    deadline_ms integer,
    reserved_rerank_ms integer,
    started_at timestamptz,
    strategies_until timestamptz
);
comment on type memhouse.search_plan is 'One read, decided: what runs with which weights, on what request, until when.';
create type memhouse.part as (
    outcome memhouse.outcome,
    list memhouse.listed_candidate[]
);
comment on type memhouse.part is 'What one strategy of a plan came to: its outcome and its candidates.';

insert into memhouse.strategy (name, reads_query, description) values
('temporal', true, 'with as_of only: dated text matches, by days between the instant and their validity'),
('salience_recency', false, 'for a blank query only: confidence, corroboration and age'),
('entity_match', true, 'statements that mention the entities of the query, by rarity'),
('relation_expand', true, 'one hop from the head of the other lists: typed relations, shared entities, linked scopes'),
('semantic_lanes', true, 'direct and derived recall documents, searched apart and interleaved');

update memhouse.profile as t set config = t.config || p.config
from (values
    ('fast', '{"strategies": {"semantic": 1, "salience_recency": 0.8}}'::jsonb),
    ('balanced', '{"strategies": {"semantic": 1, "lexical": 1, "temporal": 0.7, "entity_match": 0.9}}'),
    ('thorough', '{"strategies": {"semantic": 1, "lexical": 1, "temporal": 0.7, "entity_match": 0.9, "salience_recency": 0.8, "relation_expand": 0.6}, "rerank_head": 20, "reserved_rerank_ms": 600, "rerank_weight": 0.5}')
) as p (name, config)
where t.profile_name = p.name;
insert into memhouse.profile (profile_name, config) values
('minimal', '{"strategies": {"semantic_lanes": 1, "lexical": 1}, "rrf_k": 15, "depth": 100, "deadline_ms": 300, "feature": "experimental_minimal_recall"}');
update memhouse.profile
set config = '{"rerank_head": 0, "reserved_rerank_ms": 0, "rerank_weight": 0}'::jsonb || config
    || '{"signals": {"recency": 0.02, "authority": 0.04, "provenance": 0.02, "status": 0.05}}';

insert into memhouse.server_setting (name, value, unit, description) values
('salience_rows', '2000', 'rows', 'salience_recency ranks this many of the most recent admitted statements.'),
('common_rows', '1000', 'statements', 'A word (among more than exact_scan_rows statements) or an entity in so many finds none by itself.'),
('entity_ceiling_percent', '25', 'percent', 'An entity in more than this share of the admitted statements says nothing and is ignored.'),
('expand_seeds', '10', 'statements', 'relation_expand starts from this many of the interleaved heads of the other lists.'),
('expand_per_seed', '5', 'statements', 'Neighbours that one seed may contribute through shared entities.');

reset role;
