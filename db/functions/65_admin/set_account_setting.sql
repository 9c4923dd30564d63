-- Definer because accounts are the owner's table.
create or replace function memhouse.set_account_setting(p_account text, p_key text, p_value jsonb)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    update memhouse.account as a
    set settings = a.settings || memhouse._known_profile(a.account_id, memhouse._checked_settings(jsonb_build_object(coalesce(p_key, ''), p_value)))
    where a.account_id = memhouse._account_id(p_account);
    perform memhouse._audit(memhouse._account_id(p_account), 'set_account_setting', null, jsonb_build_object('key', p_key, 'value', p_value));
end
$$;
comment on function memhouse.set_account_setting(text, text, jsonb) is
'Sets one setting of an account: disclose_authorization_filtered (boolean, default false), default_profile (text, default balanced), experimental_minimal_recall (boolean, default false), log_reads (boolean, default false: every posture that is begun leaves a line in the log of the server). Errors: MH018, MH019.';
