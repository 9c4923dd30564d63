-- Definer because grants are the owner's table.
create or replace function memhouse.revoke_scope(
    p_account text, p_credential text, p_scope text, p_effect text default 'allow'
)
returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._credential(memhouse._account_id(p_account), p_credential);
begin
    delete from memhouse.scope_grant as g
    where g.account_id = v_credential.account_id and g.credential_id = v_credential.credential_id
      and g.scope_id = (memhouse._scope(v_credential.account_id, p_scope)).scope_id
      and g.effect = memhouse._one_of(p_effect, enum_range(null::memhouse.grant_effect)::text[], 'p_effect')::memhouse.grant_effect;
    if not found then
        return false;
    end if;
    perform memhouse._audit(v_credential.account_id, 'revoke_scope', v_credential.credential_id, jsonb_build_object(
        'credential', p_credential, 'scope', p_scope, 'effect', p_effect));
    return true;
end
$$;
comment on function memhouse.revoke_scope(text, text, text, text) is
'Takes back a grant (or, with p_effect deny, a deny) of exactly this scope; true if there was one. Errors: MH003, MH007, MH010, MH018.';
