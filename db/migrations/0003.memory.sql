-- What is remembered: immutable observations, governed knowledge with its sources, and typed relations.

set local role memhouse_owner;

create type memhouse.knowledge_kind as enum (
    'fact', 'preference', 'event', 'relation', 'skill', 'lesson', 'decision', 'policy'
);
comment on type memhouse.knowledge_kind is 'What a statement is.';
create type memhouse.target_level as enum ('peer', 'scope', 'account');
comment on type memhouse.target_level is 'Whom a statement is for, in rising order: its subject, everyone in the scope, the account.';
create type memhouse.lifecycle_state as enum (
    'proposed', 'provisional', 'held', 'active', 'needs_revalidation', 'contested',
    'superseded', 'deprecated', 'expired', 'rejected', 'redacted', 'retracted'
);
comment on type memhouse.lifecycle_state is 'Where a statement stands in its life; only active (and provisional, to its subject) is retrievable.';
create type memhouse.relation_type as enum ('contradicts', 'derived_from', 'supersedes', 'supports', 'caused_by');
comment on type memhouse.relation_type is 'A typed edge from one statement to another: from <type> to.';

create table memhouse.observation (
    account_id uuid not null,
    observation_id uuid not null,
    scope_id uuid not null,
    peer_id uuid,
    role text not null check (char_length(role) between 1 and 50),
    content text not null check (content <> ''),
    sensitivity memhouse.sensitivity not null,
    occurred_at timestamptz not null,
    recorded_at timestamptz not null default now(),
    source_key text check (char_length(source_key) between 1 and 500),
    session_key text check (char_length(session_key) between 1 and 500),
    metadata jsonb not null default '{}',
    written_by uuid,
    primary key (account_id, observation_id),
    foreign key (account_id, scope_id) references memhouse.scope (account_id, scope_id),
    foreign key (account_id, peer_id) references memhouse.peer (account_id, peer_id)
);
create index observation_scope on memhouse.observation (account_id, scope_id, recorded_at);
create index observation_peer on memhouse.observation (account_id, peer_id) where peer_id is not null;
-- Keys are unique within a scope, not within the account: a writer must not learn from a clash that a scope
-- closed to it holds the same key.
create unique index observation_source_key on memhouse.observation (account_id, source_key, scope_id) where source_key is not null;
comment on table memhouse.observation is 'An immutable source: a message, a document chunk. Personal to its peer unless said otherwise.';

-- Audiences. Whom a statement may be for is folded into one number, so that an index finds what a reader may be shown without
-- passing by anything else: other people's statements cost a look-up no time, however many there are. An audience only
-- narrows a search, and is wider than admission where it differs (time, expiry): memhouse.admits alone decides.
create function memhouse._audience(p_scope_id uuid, p_private_to uuid, p_sensitivity memhouse.sensitivity, p_past boolean)
returns bigint
language sql immutable parallel safe
return uuid_hash_extended(p_scope_id, uuid_hash_extended(coalesce(p_private_to, '00000000-0000-0000-0000-000000000000'::uuid),
    case p_sensitivity when 'public' then 0 when 'internal' then 1 when 'personal' then 2 when 'restricted' then 3 end
    + case when p_past then 4 else 0 end));
comment on function memhouse._audience(uuid, uuid, memhouse.sensitivity, boolean) is
    'The audience of statements of one sensitivity in one scope, private to a peer or (null) shared, in force or past. A hash; a collision only makes a search look at more.';
create function memhouse._audience_of(
    p_scope_id uuid, p_subject_peer_id uuid, p_sensitivity memhouse.sensitivity, p_target_level memhouse.target_level,
    p_state memhouse.lifecycle_state, p_active_during tstzmultirange, p_provisional_during tstzmultirange
)
returns bigint
language sql immutable parallel safe
return case
    -- What was never active, nor provisional for anybody, nobody retrieves.
    when p_state = 'redacted' or (isempty(p_active_during) and (p_subject_peer_id is null or isempty(p_provisional_during))) then 0
    -- What was never more than provisional is its subject's, and so is what is personal and was not promoted.
    when isempty(p_active_during) or (p_sensitivity > 'internal' and p_subject_peer_id is not null and p_target_level = 'peer')
        then memhouse._audience(p_scope_id, p_subject_peer_id, p_sensitivity, not (p_active_during + p_provisional_during) @> timestamptz 'infinity')
    else memhouse._audience(p_scope_id, null, p_sensitivity, not (p_active_during + p_provisional_during) @> timestamptz 'infinity')
end;
comment on function memhouse._audience_of(
    uuid, uuid, memhouse.sensitivity, memhouse.target_level, memhouse.lifecycle_state, tstzmultirange, tstzmultirange) is
    'The audience of a statement; 0 for one that nobody retrieves.';
create function memhouse._audience_prefix(p_audience bigint)
returns text
language sql immutable parallel safe
return encode(substr(int8send(p_audience), 3), 'base64');
comment on function memhouse._audience_prefix(bigint) is
    'Eight characters for an audience, of 48 of its bits: what the words of its statements begin with in the full-text index.';
create function memhouse._audience_words(p_audience bigint, p_tsv tsvector)
returns tsvector
language sql immutable parallel safe cost 1000
return case when p_audience = 0 then '' else array_to_tsvector(array(
    select p.prefix || left(w.word, 200)
    from (select memhouse._audience_prefix(p_audience) as prefix) as p
    cross join unnest(array_append(tsvector_to_array(p_tsv), '')) as w (word))) end;
comment on function memhouse._audience_words(bigint, tsvector) is
    'The words of a statement, each as a word of its audience, and the audience alone: what the full-text index holds. A word that others use too is another entry there. Of a longer word the first 200 characters, so that it fits a lexeme.';

-- Columns of fixed width that are never null stand first, then the others that admission reads, texts last: every read
-- judges many rows, and takes half the time for it that it took with the columns in the order of a form.
create table memhouse.knowledge (
    account_id uuid not null,
    knowledge_id uuid not null,
    scope_id uuid not null,
    audience bigint not null generated always as (memhouse._audience_of(
        scope_id, subject_peer_id, sensitivity, target_level, lifecycle_state, active_during, provisional_during)) stored,
    recorded_at timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    state_since timestamptz not null default now(),
    sensitivity memhouse.sensitivity not null,
    target_level memhouse.target_level not null,
    lifecycle_state memhouse.lifecycle_state not null,
    kind memhouse.knowledge_kind not null,
    confidence real not null check (confidence between 0 and 1),
    corroboration integer not null default 0 check (corroboration >= 0),
    active_during tstzmultirange not null default '{}',
    provisional_during tstzmultirange not null default '{}',
    subject_peer_id uuid,
    expires_at timestamptz,
    revalidate_at timestamptz,
    relevant_from timestamptz,
    relevant_until timestamptz,
    written_by uuid,
    source_key text check (char_length(source_key) between 1 and 500),
    statement text not null check (statement <> ''),
    metadata jsonb not null default '{}',
    tsv tsvector not null generated always as (to_tsvector('pg_catalog.english', statement)) stored,
    primary key (account_id, knowledge_id),
    foreign key (account_id, scope_id) references memhouse.scope (account_id, scope_id),
    foreign key (account_id, subject_peer_id) references memhouse.peer (account_id, peer_id),
    check (relevant_from <= relevant_until),
    check (subject_peer_id is not null or target_level <> 'peer')
    -- The words of a document stay in its row, as they are: a search by words reads them two or three times for each match.
) with (toast_tuple_target = 8160);
create index knowledge_audience on memhouse.knowledge (account_id, audience, knowledge_id);
create index knowledge_subject on memhouse.knowledge (account_id, subject_peer_id) where subject_peer_id is not null;
create index knowledge_words on memhouse.knowledge using gin (memhouse._audience_words(audience, tsv)) with (fastupdate = off);
create unique index knowledge_source_key on memhouse.knowledge (account_id, source_key, scope_id) where source_key is not null;
alter index memhouse.knowledge_words alter column 1 set statistics 0;
-- Statistics of these columns would let a reader mine hidden text through row estimates.
alter table memhouse.knowledge alter column statement set statistics 0;
alter table memhouse.knowledge alter column source_key set statistics 0;
alter table memhouse.knowledge alter column metadata set statistics 0;
alter table memhouse.observation alter column content set statistics 0;
alter table memhouse.observation alter column source_key set statistics 0;
alter table memhouse.observation alter column session_key set statistics 0;
alter table memhouse.observation alter column metadata set statistics 0;
comment on table memhouse.knowledge is 'A short immutable statement with its subject, scope, sensitivity, validity and life.';
comment on column memhouse.knowledge.audience is 'Whom the statement may be for at most, as memhouse._audience_of folds it.';
comment on column memhouse.knowledge.tsv is 'The lexemes of the statement.';
comment on column memhouse.knowledge.changed_at is 'When the row last changed; a projection made from an older row is not used.';
comment on column memhouse.knowledge.state_since is
    'The instant of the last change of state. The next one is never earlier, whatever the clocks say, so belief time does not run backwards.';
comment on column memhouse.knowledge.revalidate_at is
    'From then on an active statement is no longer believed until somebody says that it holds still; null is never.';
comment on column memhouse.knowledge.active_during is 'Belief time: when the statement was active; holds "infinity" while it still is.';
comment on column memhouse.knowledge.provisional_during is 'Belief time: when the statement was provisional, seen by its subject only.';
comment on column memhouse.knowledge.relevant_from is 'Valid time: start of the window in which the statement holds; null is open.';

create table memhouse.knowledge_source (
    account_id uuid not null,
    knowledge_id uuid not null,
    observation_id uuid not null,
    primary key (account_id, knowledge_id, observation_id),
    foreign key (account_id, knowledge_id) references memhouse.knowledge on delete cascade,
    foreign key (account_id, observation_id) references memhouse.observation on delete cascade
);
create index knowledge_source_observation on memhouse.knowledge_source (account_id, observation_id);
comment on table memhouse.knowledge_source is 'Provenance: the observations a statement rests on.';

create table memhouse.relation (
    account_id uuid not null,
    from_id uuid not null,
    to_id uuid not null,
    type memhouse.relation_type not null,
    confidence real not null check (confidence between 0 and 1),
    recorded_at timestamptz not null default now(),
    written_by uuid,
    primary key (account_id, from_id, to_id, type),
    foreign key (account_id, from_id) references memhouse.knowledge (account_id, knowledge_id) on delete cascade,
    foreign key (account_id, to_id) references memhouse.knowledge (account_id, knowledge_id) on delete cascade,
    check (from_id <> to_id)
);
create index relation_to on memhouse.relation (account_id, to_id);
comment on table memhouse.relation is 'Typed edges between statements.';

reset role;
