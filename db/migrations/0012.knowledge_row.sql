-- One row of list_knowledge.

set local role memhouse_owner;

create type memhouse.knowledge_row as (
    id uuid,
    statement text,
    kind text,
    subject_peer text,
    scope text,
    sensitivity text,
    target_level text,
    state text,
    confidence real,
    relevant_from timestamptz,
    relevant_until timestamptz,
    recorded_at timestamptz,
    expires_at timestamptz,
    sources uuid[],
    metadata jsonb
);
comment on type memhouse.knowledge_row is 'A statement as list_knowledge shows it.';

reset role;
