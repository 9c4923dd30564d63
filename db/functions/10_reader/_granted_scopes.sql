-- The scopes of an account on which a credential holds at least a role: an allow on the scope or above it, and no
-- deny on the scope or above it. In key order. Definer because grants are the owner's.
-- plpgsql: it keeps its plan between calls; before PostgreSQL 18 a function in SQL that cannot be inlined is planned at each.
-- p_of: look at these scopes only; null is all of the account's, which may be many.
create or replace function memhouse._granted_scopes(
    p_account_id uuid, p_credential_id uuid, p_role memhouse.scope_role, p_of uuid[] default null
)
returns uuid[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select coalesce(array_agg(s.scope_id order by s.scope_key), '{}')
        from (
            select a.* from memhouse.scope as a where p_of is null and a.account_id = p_account_id
            union all
            select o.* from unnest(p_of) as u (id)
            join memhouse.scope as o on o.account_id = p_account_id and o.scope_id = u.id
        ) as s
        where exists (
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
comment on function memhouse._granted_scopes(uuid, uuid, memhouse.scope_role, uuid[]) is
'Scopes, of some or of all, on which a credential holds at least a role; a deny anywhere on the path wins. Private.';
