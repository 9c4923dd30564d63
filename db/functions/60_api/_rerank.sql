-- Reranks the head of an answer inside the server, where models run there: the functions of 90_models are called by
-- name, since a server without PL/Python does not have them. Says in v_result.rerank what became of it; a client may
-- rerank what comes back as not reranked, for which the hits beyond the page go with the report (more).
-- statement_timeout may fire in here, at the end of the strategies' time: reranking goes on in what was reserved for it.
create or replace function memhouse._rerank(p_plan memhouse.search_plan, p_found memhouse.retrieval)
returns memhouse.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
-- What a model's failure says, paths included, is for the server's log and not for a caller that listens to LOG.
set client_min_messages = error
as $$
declare
    v_head constant integer := (p_plan.config ->> 'rerank_head')::integer;
    v_weight constant double precision := (p_plan.config ->> 'rerank_weight')::double precision;
    v_kind constant text := coalesce(p_plan.config ->> 'reranker', 'cross_encoder');
    v_until constant timestamptz := p_plan.strategies_until + (p_plan.reserved_rerank_ms - 5) * interval '1 ms';
    v_started constant timestamptz := clock_timestamp();
    v_result memhouse.retrieval := p_found;
    v_scores double precision[];
    v_model text;
    v_reason text;
begin
    v_result.rerank := jsonb_build_object('head', v_head, 'weight', v_weight);
    if v_head = 0 or (p_plan.request).query ~ '^\s*$' then
        v_result.hits := v_result.hits[:p_plan.page_limit];
        return v_result;
    end if;
    v_model := memhouse._allowed_reranker(v_kind);
    if v_model is null or to_regprocedure('memhouse._rerank_scores(text, uuid[], double precision[], text, timestamptz)') is null then
        v_reason := 'dependency_unavailable';
    elsif v_result.hits is not null then
        for v_try in 1..2 loop
            begin
                v_reason := null;
                execute 'select memhouse._rerank_scores($1, $2, $3, $4, $5)' into v_scores
                using (p_plan.request).query, array(select h.id from unnest(v_result.hits[:v_head]) as h),
                    array(select h.score from unnest(v_result.hits[:v_head]) as h), v_kind, v_until;
                exit;
            exception
                when query_canceled then
                    if clock_timestamp() < p_plan.strategies_until - interval '2 ms' then
                        raise;
                    end if;
                    v_reason := 'timeout';
                when transaction_rollback or insufficient_resources or sqlstate 'MH002' or sqlstate 'MH023' then
                    raise;
                when others then
                    raise log 'memhouse: reranking failed with %: %', sqlstate, sqlerrm;
                    v_reason := 'failed';
                    exit;
            end;
        end loop;
        if v_reason is null and coalesce(cardinality(v_scores), 0) = 0 then
            v_reason := 'timeout';
        elsif v_reason is null then
            v_result.hits := memhouse._reranked(v_result.hits, v_scores, v_weight, v_model);
        end if;
    end if;
    v_result.rerank := v_result.rerank || jsonb_build_object(
        'kind', v_kind, 'outcome', case when v_reason is null then 'contributed' else 'dropped' end, 'reason_class', v_reason,
        'model', case when v_reason is null then v_model end, 'scored', coalesce(cardinality(v_scores), 0),
        'ms', round(extract(epoch from clock_timestamp() - v_started) * 1000, 3));
    if v_reason = 'dependency_unavailable' then
        v_result.more := v_result.hits[p_plan.page_limit + 1:v_head];
    end if;
    v_result.hits := v_result.hits[:p_plan.page_limit];
    return v_result;
end
$$;
comment on function memhouse._rerank(memhouse.search_plan, memhouse.retrieval) is 'Reranks an answer where models run inside the server, and cuts it to its page. Private to the read API.';
