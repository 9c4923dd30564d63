-- Puts a model on the operator's list, after loading it once. A name is a folder below model_host.models: no path is
-- ever taken from a caller. Definer because the list is the owner's table. Errors: MH010, MH013, MH025.
create or replace function memhouse.allow_model(p_name text)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_host memhouse.model_host;
    v_about text[];
begin
    if p_name is null or p_name !~ '^[a-z0-9_]{1,60}$' then
        perform memhouse._fail('MH010', 'p_name is a folder name: lowercase letters, digits and underscores.');
    end if;
    select * into v_host from memhouse.model_host;
    if not found then
        perform memhouse._fail('MH025', 'Where models are is not set; a superuser calls memhouse.set_model_host.');
    end if;
    v_about := memhouse._py_describe(v_host.library, v_host.models || '/' || p_name);
    insert into memhouse.model as m (model_name, kind, reads_as, identity_id)
    values (p_name, v_about[1], v_about[2], case when v_about[3] is not null then (memhouse._stored_identity(v_about[3])).identity_id end)
    on conflict (model_name) do update
    set kind = excluded.kind, reads_as = excluded.reads_as, identity_id = excluded.identity_id;
    perform memhouse._audit(null, 'allow_model', null, jsonb_build_object('model', p_name, 'reads_as', v_about[2]));
    return v_about[2];
end
$$;
alter function memhouse.allow_model(text) owner to memhouse_owner;
comment on function memhouse.allow_model(text) is
'Allows a model to run inside the server, after loading it once; p_name is its folder below the models folder of set_model_host. An embedder''s identity must be registered. Returns model@version. Errors: MH010, MH013, MH025.';
