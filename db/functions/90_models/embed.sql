-- The vector of a text by the model of this account's embedding identity, inside the server.
-- What a failing model says, paths of the server included, goes to the server's log and not to the caller.
-- Definer because only the API may run models, and only those that are allowed. Errors: MH001, MH010, MH025.
create or replace function memhouse.embed(p_text text, p_kind text default 'query')
returns @extschema:vector@.vector
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
set client_min_messages = error
as $$
declare
    v_account constant uuid := (memhouse._require_reader()).account_id;
    v_folder constant text := memhouse._allowed_model('embedder', (memhouse._account_identity()).identity_id);
begin
    perform memhouse._one_of(p_kind, array['query', 'statement'], 'p_kind');
    if v_folder is null then
        perform memhouse._fail('MH025', 'No model of this account''s embedding identity may run here; see allow_model.');
    end if;
    return memhouse._py_embed(
        memhouse._model_library(), v_folder, v_account::text,
        memhouse._checked_text(p_text, 'p_text', memhouse._setting_int('max_statement_chars')),
        p_kind = 'query', memhouse._setting_int('model_memory_mb'), memhouse._setting_int('query_cache_entries'))::@extschema:vector@.vector;
exception
    when external_routine_exception then
        raise log 'memhouse: embedding failed with %: %', sqlstate, sqlerrm;
        perform memhouse._fail('MH025', 'The model failed; the server''s log says how.');
end
$$;
alter function memhouse.embed(text, text) owner to memhouse_api;
comment on function memhouse.embed(text, text) is
'The vector of a text by the model of this account''s embedding identity, inside the server. p_kind: query (with the model''s prefix; recent ones are kept by digest) or statement. Errors: MH001, MH010, MH025.';
