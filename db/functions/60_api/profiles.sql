-- The profiles this read may name. Definer because profiles are the owner's table.
create or replace function memhouse.profiles()
returns table (profile text, profile_version text, strategies jsonb, deadline_ms integer, is_default boolean)
language plpgsql stable security definer rows 5
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_default text := coalesce((select a.settings ->> 'default_profile' from memhouse.account as a
                                where a.account_id = v_reader.account_id), 'balanced');
    v_prefix constant text := (memhouse._account_identity(v_reader.account_id)).query_prefix;
    v_name text;
    v_profile memhouse.profile;
begin
    for v_name in
        select distinct f.profile_name from memhouse.profile as f
        where f.account_id in (v_reader.account_id, '00000000-0000-0000-0000-000000000000') order by 1
    loop
        begin
            v_profile := memhouse._profile(v_name, v_reader);
            return query select v_profile.profile_name, memhouse._profile_version(v_profile, v_prefix), v_profile.config -> 'strategies',
                (v_profile.config ->> 'deadline_ms')::integer, v_profile.profile_name = v_default;
        exception
            when sqlstate 'MH008' or sqlstate 'MH021' then
                null;   -- set for another scope only, or its feature is off: this read cannot name it
        end;
    end loop;
end
$$;
comment on function memhouse.profiles() is
'The profiles that this read may name, as they are in force for it, with version, strategies and deadline. Error: MH001.';
