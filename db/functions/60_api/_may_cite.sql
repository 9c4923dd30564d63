-- Whether a write posture may refer to a row of a scope it may write: it sees the row (p_admitted), or wrote it, or looks
-- after the scope (p_curated: its _curated_scopes). Anything else must look to it like a row that does not exist.
-- Must stay inlinable.
create or replace function memhouse._may_cite(
    p_reader memhouse.reader, p_curated uuid[], p_scope_id uuid, p_written_by uuid, p_admitted boolean
)
returns boolean
language sql stable parallel safe
return coalesce(p_admitted, false) or coalesce(p_written_by = (p_reader).credential_id, false) or coalesce(p_scope_id = any (p_curated), false);
comment on function memhouse._may_cite(memhouse.reader, uuid[], uuid, uuid, boolean) is
'Whether a write posture may refer to a row: seen, its own, or of a scope it curates. Private.';
