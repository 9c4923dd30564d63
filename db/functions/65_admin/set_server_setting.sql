-- Definer because server settings are the owner's table.
create or replace function memhouse.set_server_setting(p_name text, p_value integer)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_value is null or p_value < 1 then
        perform memhouse._fail('MH019', format('%s takes a whole number from 1.', p_name));
    end if;
    update memhouse.server_setting as s set value = to_jsonb(p_value) where s.name = p_name;
    if not found then
        perform memhouse._fail('MH019', format('There is no server setting %L.', left(p_name, 80)));
    end if;
    perform memhouse._audit(null, 'set_server_setting', null, jsonb_build_object('name', p_name, 'value', p_value));
end
$$;
comment on function memhouse.set_server_setting(text, integer) is
'Changes a limit or cap of memhouse.server_setting, for every account. Error: MH019.';
