-- Definer because grants are the owner's table.
create or replace function memhouse.grant_scope(
    p_account text, p_credential text, p_scope text, p_role text default 'reader', p_effect text default 'allow'
)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._credential(memhouse._account_id(p_account), p_credential);
begin
    insert into memhouse.scope_grant (account_id, credential_id, scope_id, effect, role)
    values (v_credential.account_id, v_credential.credential_id, (memhouse._scope(v_credential.account_id, p_scope)).scope_id,
        memhouse._one_of(p_effect, enum_range(null::memhouse.grant_effect)::text[], 'p_effect')::memhouse.grant_effect,
        memhouse._one_of(p_role, enum_range(null::memhouse.scope_role)::text[], 'p_role')::memhouse.scope_role)
    on conflict (account_id, credential_id, scope_id, effect) do update set role = excluded.role;
    perform memhouse._audit(v_credential.account_id, 'grant_scope', v_credential.credential_id, jsonb_build_object(
        'credential', p_credential, 'scope', p_scope, 'role', p_role, 'effect', p_effect));
end
$$;
comment on function memhouse.grant_scope(text, text, text, text, text) is
'Grants (p_effect allow) or denies a scope and all below it to a credential. p_role: reader, member (may write), curator or admin; granting again changes the role. Any deny on the path of a scope wins. Errors: MH003, MH007, MH010, MH018.';
