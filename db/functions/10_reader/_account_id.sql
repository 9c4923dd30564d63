-- The id behind an account key. Error: MH018. Definer because accounts are the owner's table.
create or replace function memhouse._account_id(p_account text)
returns uuid
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_id uuid;
begin
    select a.account_id into v_id from memhouse.account as a where a.account_key = p_account;
    if not found then
        perform memhouse._fail('MH018', format('No account has the key %L.', left(p_account, 80)));
    end if;
    return v_id;
end
$$;
comment on function memhouse._account_id(text) is 'Id of an account key, or MH018. Private.';
