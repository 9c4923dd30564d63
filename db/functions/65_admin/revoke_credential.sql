-- Definer because credentials are the owner's table.
create or replace function memhouse.revoke_credential(p_account text, p_credential text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._credential(memhouse._account_id(p_account), p_credential);
begin
    update memhouse.credential as c
    set revoked_at = coalesce(c.revoked_at, now())
    where c.account_id = v_credential.account_id and c.credential_id = v_credential.credential_id;
    perform memhouse._audit(v_credential.account_id, 'revoke_credential', v_credential.credential_id, jsonb_build_object('credential', p_credential));
end
$$;
comment on function memhouse.revoke_credential(text, text) is
'Revokes a credential for good; the next read sees it, also in a transaction already begun. Errors: MH003, MH018.';
