-- Definer because the table is the owner's.
create or replace function memhouse._model_library()
returns text
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select h.library from memhouse.model_host as h;
end;
alter function memhouse._model_library() owner to memhouse_owner;
comment on function memhouse._model_library() is 'Where the server''s Python finds memhouse_thin. Private.';
