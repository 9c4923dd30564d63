-- A read over several connections, first step: the server decides what runs, and hands the plan out sealed. The parts
-- named in "parallel" then run each on its own connection, in the same snapshot and under the same posture
-- (run_search_part); finish_search runs the rest and fuses. The strategies are the server's choice: a plan that was changed,
-- or belongs to another posture, is refused.
-- Definer because _plan is private to memhouse_api.
create or replace function memhouse.plan_search(
    p_query text, p_embedding @extschema:vector@.vector default null, p_profile text default null, p_limit integer default 12,
    p_as_of timestamptz default null, p_filters jsonb default '{}', p_deadline_ms integer default null,
    p_identity text default null
)
returns jsonb
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
-- Plan and parts travel as text: it must read the same under any settings of the sessions.
set datestyle = 'ISO, YMD'
set extra_float_digits = 1
as $$
declare
    v_plan memhouse.search_plan := memhouse._plan(
        p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity, null);
    v_request memhouse.request := v_plan.request;
    v_parallel constant text[] := memhouse._parallel_of(v_plan);
begin
    -- The plan is signed, not encrypted. Which audiences there is anything in is not the reader's to know.
    v_request.audiences := null;
    v_plan.request := v_request;
    return jsonb_build_object(
        'plan', memhouse._sealed('plan', v_plan::text),
        'parallel', to_jsonb(v_parallel),
        'deadline_ms', v_plan.deadline_ms,
        'reserved_rerank_ms', v_plan.reserved_rerank_ms);
end
$$;
alter function memhouse.plan_search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) owner to memhouse_api;
comment on function memhouse.plan_search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) is
'First step of a read over several connections: a sealed plan, the strategies to run in parallel (finish_search runs the others, which start from them or need no time), deadline_ms and reserved_rerank_ms, as JSON. Arguments and errors as search.';
