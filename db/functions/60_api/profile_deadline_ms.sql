-- Definer because it resolves the profile, which is the owner's table.
create or replace function memhouse.profile_deadline_ms(p_profile text default null)
returns integer
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
begin
    return ((memhouse._profile(p_profile)).config ->> 'deadline_ms')::integer;
end
$$;
comment on function memhouse.profile_deadline_ms(text) is
'Deadline in milliseconds of the profile this read would use; null names the default profile. Errors: MH001, MH008.';
