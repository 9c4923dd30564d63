-- A server setting as an integer. Definer because server settings are the owner's table and no role reads it.
-- Planned once: strategies ask for custom plans, and that would reach the queries in here too.
create or replace function memhouse._setting_int(p_name text)
returns integer
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_value jsonb;
begin
    select s.value into strict v_value from memhouse.server_setting as s where s.name = p_name;
    return v_value::integer;
end
$$;
comment on function memhouse._setting_int(text) is 'An integer from memhouse.server_setting. Private.';
