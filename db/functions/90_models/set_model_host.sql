-- Says where the server's Python finds memhouse_thin and where the model folders are. Code is loaded from there into
-- the server, so this is granted to nobody: only a superuser may call it. Definer because the table is the owner's.
create or replace function memhouse.set_model_host(p_library text, p_models text)
returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
begin atomic
    insert into memhouse.model_host as h (library, models) values (p_library, p_models)
    on conflict (only_one) do update set library = excluded.library, models = excluded.models;
end;
alter function memhouse.set_model_host(text, text) owner to memhouse_owner;
comment on function memhouse.set_model_host(text, text) is
'Where the server''s Python finds memhouse (p_library: a site-packages folder of its version) and where the model folders are. For superusers only, since code is loaded from there.';
