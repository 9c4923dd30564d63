-- Takes a model off the operator's list; a backend that has it loaded does not use it from its next call on.
-- Definer because the list is the owner's table. Error: MH015.
create or replace function memhouse.forbid_model(p_name text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    delete from memhouse.model as m where m.model_name = p_name;
    if not found then
        perform memhouse._fail('MH015', format('There is no model %L.', left(coalesce(p_name, 'null'), 80)));
    end if;
    perform memhouse._audit(null, 'forbid_model', null, jsonb_build_object('model', p_name));
end
$$;
alter function memhouse.forbid_model(text) owner to memhouse_owner;
comment on function memhouse.forbid_model(text) is 'Takes a model off the list of those that may run inside the server. Error: MH015.';
