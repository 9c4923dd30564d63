-- Whether this posture holds at least a role on a scope; server-side work holds every role.
-- Definer because grants are the owner's.
create or replace function memhouse._holds_role(p_scope_id uuid, p_role memhouse.scope_role)
returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    return v_reader.posture = 'internal'
        or p_scope_id = any (memhouse._granted_scopes(v_reader.account_id, v_reader.credential_id, p_role));
end
$$;
comment on function memhouse._holds_role(uuid, memhouse.scope_role) is 'Whether this posture holds a role on a scope. Private.';
