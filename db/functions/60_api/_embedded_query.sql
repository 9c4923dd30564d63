-- The vector of a query that came without one, where a model runs inside the server; else null, and semantic is
-- reported as dropped, dependency_unavailable. The functions of 90_models are called by name, since a server without
-- PL/Python does not have them. A model that fails costs the vector, not the read.
create or replace function memhouse._embedded_query(p_query text, p_until timestamptz)
returns @extschema:vector@.vector
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
-- What a model's failure says, paths included, is for the server's log and not for a caller that listens to LOG.
set client_min_messages = error
as $$
declare
    v_vector @extschema:vector@.vector;
begin
    if p_query ~ '^\s*$' or to_regprocedure('memhouse.embed(text, text)') is null
       or memhouse._allowed_model('embedder', (memhouse._account_identity()).identity_id) is null then
        return null;
    end if;
    execute 'select memhouse.embed($1, ''query'')' into v_vector using p_query;
    return v_vector;
exception
    when query_canceled then
        if clock_timestamp() < p_until - interval '2 ms' then
            raise;
        end if;
        return null;
    when transaction_rollback or insufficient_resources or sqlstate 'MH002' or sqlstate 'MH023' then
        raise;
    when others then
        raise log 'memhouse: embedding failed with %: %', sqlstate, sqlerrm;
        return null;
end
$$;
comment on function memhouse._embedded_query(text, timestamptz) is 'The vector of a query by a model inside the server, or null. Private to the read API.';
