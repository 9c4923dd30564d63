-- What a reranker outside the server needs of the head of an answer. It is first asked which of the ids this reader may see:
-- the others give no row, like ids that do not exist, and nothing of theirs is looked up.
-- Definer because token vectors are not the reader's to see.
create or replace function memhouse.rerank_vectors(p_ids uuid[], p_model text)
returns table (id uuid, bits bytea)
language plpgsql stable security definer rows 50
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_account uuid := (memhouse._require_reader()).account_id;
    v_visible uuid[];
begin
    if cardinality(p_ids) > 100 then
        perform memhouse._fail('MH010', format('p_ids holds %s ids; it may hold 100.', cardinality(p_ids)));
    end if;
    v_visible := memhouse._visible_ids(p_ids);
    return query
    select t.knowledge_id, t.bits
    from memhouse.token_vectors as t
    where t.account_id = v_account and t.knowledge_id = any (v_visible) and t.model = p_model;
end
$$;
alter function memhouse.rerank_vectors(uuid[], text) owner to memhouse_api;
comment on function memhouse.rerank_vectors(uuid[], text) is
'Token vectors of at most 100 statements that this reader may see, for late interaction; a statement without any gives no row. Errors: MH001, MH010.';
