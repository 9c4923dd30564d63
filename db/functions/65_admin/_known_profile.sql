-- Refuses settings that name a default profile which neither the account nor the server has: every search would fail.
-- Error: MH019. Definer because profiles are the owner's table.
create or replace function memhouse._known_profile(p_account_id uuid, p_settings jsonb)
returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_settings ? 'default_profile' and not exists (
        select from memhouse.profile as f
        where f.profile_name = p_settings ->> 'default_profile'
          and f.account_id in (p_account_id, '00000000-0000-0000-0000-000000000000')
          and f.scope_id = '00000000-0000-0000-0000-000000000000'
    ) then
        perform memhouse._fail('MH019', format('There is no profile %L to be the default.', left(p_settings ->> 'default_profile', 80)));
    end if;
    return p_settings;
end
$$;
comment on function memhouse._known_profile(uuid, jsonb) is 'Settings if their default_profile is there for the account or the server, else MH019. Private.';
