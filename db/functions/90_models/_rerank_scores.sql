-- Scores of some statements, in the order of their ids, from the first, as many as there is time for until p_until.
-- p_before: what each had so far, one an id, or null; a cascade makes it part of its own score.
-- Reads statements and token vectors under the reader policy. Definer because it reads as memhouse_api.
create or replace function memhouse._rerank_scores(p_query text, p_ids uuid[], p_before double precision[], p_kind text, p_until timestamptz)
returns double precision[]
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account constant uuid := (memhouse._require_reader()).account_id;
    v_late constant text := case when p_kind <> 'cross_encoder' then memhouse._allowed_model('late_interaction') end;
    v_cross constant text := case when p_kind <> 'late_interaction' then memhouse._allowed_model('reranker') end;
    v_late_name constant text := memhouse._allowed_reranker('late_interaction');
    v_texts text[];
    v_bits bytea[];
    v_before double precision[];
begin
    select array_agg(k.statement order by o.place), array_agg(t.bits order by o.place),
        array_agg(coalesce(p_before[o.place], 0) order by o.place)
    into v_texts, v_bits, v_before
    from memhouse.knowledge as k
    cross join lateral (select array_position(p_ids, k.knowledge_id) as place) as o
    left join memhouse.token_vectors as t
        on t.account_id = v_account and t.knowledge_id = k.knowledge_id and t.model = v_late_name
    where k.account_id = v_account and k.knowledge_id = any (p_ids);
    if v_texts is null then
        return '{}';
    end if;
    return memhouse._py_rerank(memhouse._model_library(), v_late, v_cross, p_query, v_texts, v_bits, v_before,
        greatest(0, extract(epoch from p_until - clock_timestamp()) * 1000), memhouse._setting_int('model_memory_mb'));
end
$$;
alter function memhouse._rerank_scores(text, uuid[], double precision[], text, timestamptz) owner to memhouse_api;
comment on function memhouse._rerank_scores(text, uuid[], double precision[], text, timestamptz) is 'Scores of visible statements by the allowed rerankers. Private to the read API.';
