-- The credential behind a name, for administrators. Error: MH003.
create or replace function memhouse._credential(p_account_id uuid, p_credential text)
returns memhouse.credential
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential;
begin
    select c.* into v_credential from memhouse.credential as c where c.account_id = p_account_id and c.credential_name = p_credential;
    if not found then
        perform memhouse._fail('MH003', format('The account has no credential named %s.', coalesce(quote_literal(left(p_credential, 80)), 'null')));
    end if;
    return v_credential;
end
$$;
comment on function memhouse._credential(uuid, text) is 'A credential by name, or MH003. Private to administration. Definer because credentials are the owner''s.';
