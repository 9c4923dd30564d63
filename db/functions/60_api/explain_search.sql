-- A search, step by step: what each took and how many statements it looked at. The steps are those of the read itself
-- (_retrieve), run once and timed. Rows are counted among what this reader may see, so the answer tells nothing that its
-- own searches would not.
-- Definer because the steps are private to memhouse_api.
create or replace function memhouse.explain_search(
    p_query text, p_embedding @extschema:vector@.vector default null, p_profile text default null, p_limit integer default 12,
    p_as_of timestamptz default null, p_filters jsonb default '{}', p_deadline_ms integer default null,
    p_identity text default null
)
returns jsonb
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_started constant timestamptz := clock_timestamp();
    v_mark timestamptz;
    v_plan memhouse.search_plan;
    v_request memhouse.request;
    v_part memhouse.part;
    v_parts memhouse.part[] := '{}';
    v_outcome memhouse.outcome;
    v_scan text;
    v_strategy text;
    v_found memhouse.retrieval;
    v_fused bigint;
    v_fusion_ms numeric;
    v_rest_ms numeric;
    v_rerank_ms numeric;
    v_plan_ms numeric;
    v_steps jsonb;
begin
    v_plan := memhouse._plan(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity, null);
    v_plan := memhouse._judge_once(v_plan);
    v_request := v_plan.request;
    v_plan_ms := round(extract(epoch from clock_timestamp() - v_started) * 1000, 3);
    foreach v_strategy in array memhouse._strategies_of(v_plan.config) loop
        v_part := memhouse._run_strategy(v_plan, v_strategy);
        v_parts := v_parts || v_part;
        v_request.seeds := v_request.seeds || v_part.list;
        v_plan.request := v_request;
    end loop;

    v_mark := clock_timestamp();
    select count(*) into v_fused
    from memhouse.fuse(v_parts, v_plan.config, null);
    v_fusion_ms := round(extract(epoch from clock_timestamp() - v_mark) * 1000, 3);
    v_mark := clock_timestamp();
    v_found := memhouse._finish(v_plan, v_parts);
    v_rerank_ms := (v_found.rerank ->> 'ms')::numeric;
    v_rest_ms := round(extract(epoch from clock_timestamp() - v_mark) * 1000, 3) - v_fusion_ms - coalesce(v_rerank_ms, 0);

    -- Counted after the read, whose time it must not take.
    v_steps := jsonb_build_array(jsonb_build_object(
        'step', 'plan', 'ms', v_plan_ms, 'rows', memhouse.eligible_rows(v_request.filters, v_request.eligible)));
    foreach v_part in array v_parts loop
        v_outcome := v_part.outcome;
        v_scan := v_part.list[1].detail ->> 'scan';
        v_steps := v_steps || jsonb_build_object(
            'step', v_outcome.strategy, 'ms', v_outcome.ms, 'outcome', v_outcome.outcome, 'reason_class', v_outcome.reason_class,
            'candidates', v_outcome.candidates, 'scan', v_scan,
            'rows', case when v_outcome.outcome in ('contributed', 'empty') and v_scan is distinct from 'hnsw'
                         then memhouse._rows_read(v_outcome.strategy, v_request) end);
    end loop;
    v_steps := v_steps
        || jsonb_build_object('step', 'fusion', 'ms', v_fusion_ms, 'candidates', v_fused)
        || jsonb_build_object('step', 'page', 'ms', greatest(v_rest_ms, 0), 'candidates', coalesce(cardinality(v_found.hits), 0))
        || jsonb_strip_nulls(jsonb_build_object(
            'step', 'rerank', 'ms', v_rerank_ms, 'outcome', v_found.rerank -> 'outcome', 'reason_class', v_found.rerank -> 'reason_class',
            'candidates', v_found.rerank -> 'scored'));
    return jsonb_build_object(
        'profile', v_found.profile, 'profile_version', v_found.profile_version, 'reader_posture', v_found.posture,
        'elapsed_ms', v_found.elapsed_ms - v_fusion_ms, 'deadline_ms', v_found.deadline_ms, 'steps', v_steps);
end
$$;
alter function memhouse.explain_search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) owner to memhouse_api;
comment on function memhouse.explain_search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) is
'A search step by step, as JSON: profile, profile_version, reader_posture, elapsed_ms, deadline_ms and steps (plan, each strategy, fusion, page, rerank: ms, rows looked at among those this reader may see, candidates, outcome, reason_class, and scan of the vectors: exact or hnsw). Arguments and errors as search.';
