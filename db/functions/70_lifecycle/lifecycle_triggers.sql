-- What a statement says never changes; a correction is a new statement that supersedes it. Only its life may move:
-- state, belief time, dates, level, sensitivity and counts. Observations do not change at all.
create or replace function memhouse._refuse_rewrite()
returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception using errcode = 'restrict_violation',
        message = format('what a row of %s says is immutable', tg_table_name),
        hint = 'Remember a new statement and relate it with supersedes; or erase.';
end
$$;
comment on function memhouse._refuse_rewrite() is 'Trigger: refuses to change what a statement or an observation says. Private.';

create or replace trigger immutable
before update on memhouse.knowledge
for each row when (
    row(old.account_id, old.knowledge_id, old.scope_id, old.subject_peer_id, old.kind, old.statement, old.confidence,
        old.relevant_from, old.relevant_until, old.recorded_at, old.source_key, old.metadata, old.written_by)
    is distinct from
    row(new.account_id, new.knowledge_id, new.scope_id, new.subject_peer_id, new.kind, new.statement, new.confidence,
        new.relevant_from, new.relevant_until, new.recorded_at, new.source_key, new.metadata, new.written_by)
)
execute function memhouse._refuse_rewrite();

create or replace trigger immutable
before update on memhouse.observation
for each row execute function memhouse._refuse_rewrite();

create or replace trigger append_only
before update on memhouse.tombstone
for each row execute function memhouse._refuse_change();

create or replace trigger append_only
before update on memhouse.lifecycle_change
for each row execute function memhouse._refuse_change();
