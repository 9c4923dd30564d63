-- Definer because links are the owner's table.
create or replace function memhouse.unlink_scopes(p_account text, p_from text, p_to text)
returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_from memhouse.scope := memhouse._scope(memhouse._account_id(p_account), p_from);
begin
    delete from memhouse.scope_link as l
    where l.account_id = v_from.account_id and l.from_scope_id = v_from.scope_id
      and l.to_scope_id = (memhouse._scope(v_from.account_id, p_to)).scope_id;
    if found then
        perform memhouse._audit(v_from.account_id, 'unlink_scopes', v_from.scope_id, jsonb_build_object('from', p_from, 'to', p_to));
        return true;
    end if;
    return false;
end
$$;
comment on function memhouse.unlink_scopes(text, text, text) is
'Takes back a link from p_from to p_to; true if there was one. Errors: MH007, MH018.';
