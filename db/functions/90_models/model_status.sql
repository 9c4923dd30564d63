-- PL/Python because the models are in this backend's interpreter.
create or replace function memhouse.model_status()
returns table (model_name text, megabytes double precision)
language plpython3u volatile parallel unsafe rows 3
as $$
    return GD['memhouse'].status() if 'memhouse' in GD else []
$$;
alter function memhouse.model_status() owner to memhouse_owner;
comment on function memhouse.model_status() is 'The models that this backend has loaded, and the memory each took; the limit is the server setting model_memory_mb.';
