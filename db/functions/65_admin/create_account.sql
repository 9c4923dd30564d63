-- Definer because accounts are the owner's table.
create or replace function memhouse.create_account(p_account text, p_settings jsonb default '{}')
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_id uuid := memhouse.uuid_v7();
begin
    insert into memhouse.account (account_id, account_key, settings)
    values (v_id, memhouse._checked_text(p_account, 'p_account', 200), memhouse._known_profile(v_id, memhouse._checked_settings(p_settings)))
    on conflict do nothing;
    if not found then
        perform memhouse._fail('MH017', format('There is an account %L.', p_account));
    end if;
    perform memhouse._audit(v_id, 'create_account', v_id, jsonb_build_object('account', p_account));
    return v_id;
end
$$;
comment on function memhouse.create_account(text, jsonb) is
'Creates an account and returns its id. p_settings: see set_account_setting. Errors: MH010, MH017, MH019.';
