-- The settings an account can have, in one place. Error: MH019.
create or replace function memhouse._checked_settings(p_settings jsonb)
returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    v_key text;
    v_value jsonb;
    v_type text;
begin
    if p_settings is null or jsonb_typeof(p_settings) <> 'object' then
        perform memhouse._fail('MH019', 'The settings must be a JSON object.');
    end if;
    for v_key, v_value in select e.key, e.value from jsonb_each(p_settings) as e loop
        v_type := case v_key
            when 'disclose_authorization_filtered' then 'boolean'
            when 'experimental_minimal_recall' then 'boolean'
            when 'log_reads' then 'boolean'
            when 'default_profile' then 'string'
        end;
        if v_type is null then
            perform memhouse._fail('MH019', format('There is no account setting %L.', left(v_key, 80)));
        elsif jsonb_typeof(v_value) <> v_type then
            perform memhouse._fail('MH019', format('%s takes a %s.', v_key, v_type));
        end if;
    end loop;
    return p_settings;
end
$$;
comment on function memhouse._checked_settings(jsonb) is 'Account settings if each is known and of its type, else MH019. Private.';
