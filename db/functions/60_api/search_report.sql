-- The same read as search, with its diagnostics: which strategies contributed, found nothing or were dropped, and why.
-- Definer because _retrieve is private to memhouse_api.
create or replace function memhouse.search_report(
    p_query text, p_embedding @extschema:vector@.vector default null, p_profile text default null, p_limit integer default 12,
    p_as_of timestamptz default null, p_filters jsonb default '{}', p_deadline_ms integer default null,
    p_identity text default null
)
returns jsonb
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_found memhouse.retrieval := memhouse._retrieve(
        p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity);
    v_strategies jsonb := '{"contributed": [], "empty": [], "dropped": [], "not_applicable": []}';
    v_outcome memhouse.outcome;
begin
    foreach v_outcome in array coalesce(v_found.outcomes, '{}') loop
        v_strategies := jsonb_insert(v_strategies, array[v_outcome.outcome, '-1'], jsonb_build_object(
            'name', v_outcome.strategy, 'reason_class', v_outcome.reason_class,
            'ms', v_outcome.ms, 'candidates', v_outcome.candidates), true);
    end loop;
    return jsonb_build_object(
        'candidates', coalesce(to_jsonb(v_found.hits), '[]'),
        'reader_posture', v_found.posture,
        'profile', v_found.profile,
        'profile_version', v_found.profile_version,
        'strategies', v_strategies,
        'retrieval_outcomes', v_found.retrieval_outcomes,
        'disagreement', v_found.disagreement,
        'analyzer_version', v_found.analyzer_version,
        'terms_ignored', v_found.terms_ignored,
        'deadline_ms', v_found.deadline_ms,
        'elapsed_ms', v_found.elapsed_ms,
        'reserved_rerank_ms', v_found.reserved_rerank_ms);
end
$$;
alter function memhouse.search_report(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) owner to memhouse_api;
comment on function memhouse.search_report(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) is
'The same read as search, as JSON: candidates (the hits), reader_posture, profile, profile_version, strategies (contributed, empty, dropped, not_applicable: name, reason_class, ms, candidates), retrieval_outcomes, disagreement, analyzer_version, terms_ignored, deadline_ms, elapsed_ms, reserved_rerank_ms. Arguments and errors as search.';
