-- Definer because links are the owner's table.
create or replace function memhouse.link_scopes(p_account text, p_from text, p_to text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_from memhouse.scope := memhouse._scope(memhouse._account_id(p_account), p_from);
    v_to memhouse.scope := memhouse._scope(v_from.account_id, p_to);
begin
    if v_from.scope_id = v_to.scope_id then
        perform memhouse._fail('MH010', 'A scope cannot be linked to itself.');
    end if;
    insert into memhouse.scope_link (account_id, from_scope_id, to_scope_id)
    values (v_from.account_id, v_from.scope_id, v_to.scope_id)
    on conflict do nothing;
    if found then
        perform memhouse._audit(v_from.account_id, 'link_scopes', v_from.scope_id, jsonb_build_object('from', p_from, 'to', p_to));
    end if;
end
$$;
comment on function memhouse.link_scopes(text, text, text) is
'Says that the memory of p_to bears on p_from: relation_expand follows the link for a reader authorised at both ends. It grants nothing. A link that exists stays. Errors: MH007, MH010, MH018.';
