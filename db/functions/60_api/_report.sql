-- A retrieval as the JSON of search_report.
create or replace function memhouse._report(p_found memhouse.retrieval)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    v_strategies jsonb := '{"contributed": [], "empty": [], "dropped": [], "not_applicable": []}';
    v_outcome memhouse.outcome;
begin
    foreach v_outcome in array coalesce(p_found.outcomes, '{}') loop
        v_strategies := jsonb_insert(v_strategies, array[v_outcome.outcome, '-1'], jsonb_build_object(
            'name', v_outcome.strategy, 'reason_class', v_outcome.reason_class,
            'ms', v_outcome.ms, 'candidates', v_outcome.candidates), true);
    end loop;
    return jsonb_build_object(
        'candidates', coalesce(p_found.hits, '{}'),
        'reader_posture', p_found.posture,
        'profile', p_found.profile,
        'profile_version', p_found.profile_version,
        'strategies', v_strategies,
        'retrieval_outcomes', p_found.retrieval_outcomes,
        'disagreement', p_found.disagreement,
        'analyzer_version', p_found.analyzer_version,
        'terms_ignored', p_found.terms_ignored,
        'deadline_ms', p_found.deadline_ms,
        'elapsed_ms', p_found.elapsed_ms,
        'reserved_rerank_ms', p_found.reserved_rerank_ms,
        'rerank', p_found.rerank || case when p_found.more is null then '{}' else jsonb_build_object('more', p_found.more) end);
end
$$;
comment on function memhouse._report(memhouse.retrieval) is 'A retrieval as JSON. Private to the read API.';
