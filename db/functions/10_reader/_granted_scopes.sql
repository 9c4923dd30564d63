-- The scopes of an account on which a credential holds at least a role: an allow on the scope or above it, and no
-- deny on the scope or above it. In key order. Definer because grants are the owner's.
-- plpgsql: it keeps its plan between calls; before PostgreSQL 18 a function in SQL that cannot be inlined is planned at each.
create or replace function memhouse._granted_scopes(p_account_id uuid, p_credential_id uuid, p_role memhouse.scope_role)
returns uuid[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select coalesce(array_agg(s.scope_id order by s.scope_key), '{}')
        from memhouse.scope as s
        where s.account_id = p_account_id
          and exists (
              select from memhouse.scope_grant as g
              where g.account_id = p_account_id and g.credential_id = p_credential_id
                and g.effect = 'allow' and g.role >= p_role and g.scope_id = any (s.path))
          and not exists (
              select from memhouse.scope_grant as g
              where g.account_id = p_account_id and g.credential_id = p_credential_id
                and g.effect = 'deny' and g.scope_id = any (s.path))
    );
end
$$;
comment on function memhouse._granted_scopes(uuid, uuid, memhouse.scope_role) is
'Scopes on which a credential holds at least a role; a deny anywhere on the path wins. Private.';
