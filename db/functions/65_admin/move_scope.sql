-- Hangs a scope, with all below it, under another parent. What credentials reach through it changes at once: a
-- trigger raises the authority of the account's credentials, so postures begun before are refused (MH023).
-- Definer because scopes are the owner's table.
create or replace function memhouse.move_scope(p_account text, p_scope text, p_parent text default null)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account_id uuid := memhouse._account_id(p_account);
    v_scope memhouse.scope;
    v_parent memhouse.scope;
begin
    -- One mover at a time in an account, or two moves could make a cycle between them.
    perform from memhouse.account as a where a.account_id = v_account_id for update;
    v_scope := memhouse._scope(v_account_id, p_scope);
    if p_parent is not null then
        v_parent := memhouse._scope(v_account_id, p_parent);
        if v_scope.scope_id = any (v_parent.path) then
            perform memhouse._fail('MH024', format('%L stands below %L.', p_parent, p_scope));
        end if;
    end if;
    update memhouse.scope as s
    set path = coalesce(v_parent.path, '{}') || s.path[cardinality(v_scope.path):],
        parent_id = case when s.scope_id = v_scope.scope_id then v_parent.scope_id else s.parent_id end
    where s.account_id = v_account_id and v_scope.scope_id = any (s.path);
    perform memhouse._audit(v_account_id, 'move_scope', v_scope.scope_id, jsonb_build_object('scope', p_scope, 'parent', p_parent));
end
$$;
comment on function memhouse.move_scope(text, text, text) is
'Moves a scope and all below it under p_parent (null: makes it a root). Seen by the next read. Errors: MH007, MH018, MH024.';
