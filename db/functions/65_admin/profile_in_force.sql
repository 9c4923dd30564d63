-- What a DBA sees of a profile at a place: the configuration in force and where it comes from.
-- Definer because profiles are the owner's table.
create or replace function memhouse.profile_in_force(p_account text, p_scope text, p_name text)
returns table (profile text, version integer, config jsonb, set_for text)
language plpgsql stable security definer rows 1
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account_id uuid := memhouse._account_id(p_account);
    v_path uuid[] := case when p_scope is not null then (memhouse._scope(v_account_id, p_scope)).path end;
begin
    return query
    select f.profile_name, f.version, f.config,
        case when own.scope_id is not null then 'scope ' || own.scope_key
             when f.account_id = v_account_id then 'account' else 'server' end
    from memhouse.profile as f
    left join memhouse.scope as own on own.account_id = f.account_id and own.scope_id = f.scope_id
    where f.profile_name = p_name
      and (f.account_id = '00000000-0000-0000-0000-000000000000'
           or f.account_id = v_account_id and (f.scope_id = '00000000-0000-0000-0000-000000000000' or own.scope_id = any (v_path)))
    order by f.account_id = v_account_id desc, cardinality(own.path) desc nulls last
    limit 1;
    if not found then
        perform memhouse._fail('MH008', format('There is no profile %s.', coalesce(quote_literal(left(p_name, 80)), 'null')));
    end if;
end
$$;
comment on function memhouse.profile_in_force(text, text, text) is
'The profile in force for a scope (null: the account) and whether it is set for a scope, the account or the server. For administrators. Errors: MH007, MH008, MH018.';
