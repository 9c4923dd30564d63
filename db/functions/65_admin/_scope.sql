-- The scope behind a key, for administrators. Error: MH007.
create or replace function memhouse._scope(p_account_id uuid, p_scope text)
returns memhouse.scope
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_scope memhouse.scope;
begin
    select s.* into v_scope from memhouse.scope as s where s.account_id = p_account_id and s.scope_key = p_scope;
    if not found then
        perform memhouse._fail('MH007', format('The account has no scope %s.', coalesce(quote_literal(left(p_scope, 80)), 'null')));
    end if;
    return v_scope;
end
$$;
comment on function memhouse._scope(uuid, text) is 'A scope by key, or MH007. Private to administration. Definer because scopes are the owner''s.';
