-- Gives a credential a new token; the old one ends at once. Definer because credentials are the owner's table.
create or replace function memhouse.renew_credential(p_account text, p_credential text)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._credential(memhouse._account_id(p_account), p_credential);
    v_token text := memhouse._new_token();
begin
    if v_credential.revoked_at is not null then
        perform memhouse._fail('MH004', 'A revoked credential is not renewed; create another.');
    end if;
    update memhouse.credential as c set token_hash = sha256(convert_to(v_token, 'UTF8'))
    where c.account_id = v_credential.account_id and c.credential_id = v_credential.credential_id;
    perform memhouse._audit(v_credential.account_id, 'renew_credential', v_credential.credential_id);
    return v_token;
end
$$;
comment on function memhouse.renew_credential(text, text) is
'Replaces the token of a credential and returns the new one, shown this once; the old one ends at once. Errors: MH003, MH004, MH018.';
