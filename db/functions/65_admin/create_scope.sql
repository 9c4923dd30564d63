-- Definer because scopes are the owner's table.
create or replace function memhouse.create_scope(p_account text, p_scope text, p_parent text default null)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_id uuid := memhouse.uuid_v7();
    v_account_id uuid := memhouse._account_id(p_account);
    v_parent memhouse.scope;
begin
    if p_parent is not null then
        v_parent := memhouse._scope(v_account_id, p_parent);
    end if;
    insert into memhouse.scope (account_id, scope_id, scope_key, parent_id, path)
    values (v_account_id, v_id, memhouse._checked_text(p_scope, 'p_scope', 500), v_parent.scope_id, v_parent.path || v_id)
    on conflict do nothing;
    if not found then
        perform memhouse._fail('MH017', format('The account has a scope %L.', p_scope));
    end if;
    perform memhouse._audit(v_account_id, 'create_scope', v_id, jsonb_build_object('scope', p_scope, 'parent', p_parent));
    return v_id;
end
$$;
comment on function memhouse.create_scope(text, text, text) is
'Creates a scope below p_parent (null: a root of the account) and returns its id. Errors: MH007, MH010, MH017, MH018.';
