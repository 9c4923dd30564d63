-- Definer because credentials are the owner's table.
create or replace function memhouse.set_clearance(p_account text, p_credential text, p_clearance text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._credential(memhouse._account_id(p_account), p_credential);
begin
    update memhouse.credential as c
    set clearance = memhouse._one_of(p_clearance, enum_range(null::memhouse.sensitivity)::text[], 'p_clearance')::memhouse.sensitivity
    where c.account_id = v_credential.account_id and c.credential_id = v_credential.credential_id;
    perform memhouse._audit(v_credential.account_id, 'set_clearance', v_credential.credential_id, jsonb_build_object('credential', p_credential, 'clearance', p_clearance));
end
$$;
comment on function memhouse.set_clearance(text, text, text) is
'Changes the clearance of a credential; the next read sees it. Errors: MH003, MH010, MH018.';
