-- Whether a write posture may refer to a row of a scope it may write: it sees the row, or wrote it, or looks after the
-- scope as a curator. Anything else must look to it like a row that does not exist.
create or replace function memhouse._may_cite(p_scope_id uuid, p_written_by uuid, p_sees boolean)
returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
    return p_sees or coalesce(p_written_by = (memhouse._reader()).credential_id, false) or memhouse._holds_role(p_scope_id, 'curator');
end
$$;
comment on function memhouse._may_cite(uuid, uuid, boolean) is 'Whether a write posture may refer to a row: seen, its own, or of a scope it curates. Private.';
