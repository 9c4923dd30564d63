-- The way of a read on one connection: plan → strategies → fusion and page. search and search_report show it.
-- Definer because its steps are private to memhouse_api. Stable: one snapshot for the whole answer.
create or replace function memhouse._retrieve(
    p_query text, p_embedding @extschema:vector@.vector, p_profile text, p_limit integer, p_as_of timestamptz,
    p_filters jsonb, p_deadline_ms integer, p_identity text, p_override jsonb default null
)
returns memhouse.retrieval
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_plan memhouse.search_plan;
    v_request memhouse.request;
    v_parts memhouse.part[] := '{}';
    v_part memhouse.part;
    v_strategy text;
begin
    v_plan := memhouse._plan(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity, p_override);
    v_plan := memhouse._judge_once(v_plan);
    v_request := v_plan.request;
    foreach v_strategy in array memhouse._strategies_of(v_plan.config) loop
        v_part := memhouse._run_strategy(v_plan, v_strategy);
        v_parts := v_parts || v_part;
        v_request.seeds := v_request.seeds || v_part.list;
        v_plan.request := v_request;
    end loop;
    return memhouse._finish(v_plan, v_parts);
exception
    when query_canceled then
        -- The deadline fell between the strategies, before them or after. It fires once: with what there is, the answer
        -- still comes, and what did not run is named in it. Where even the plan is missing, it is short to make again.
        if v_plan is null then
            v_plan := memhouse._plan(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity, p_override);
        end if;
        if not memhouse._deadline_fired(v_plan.strategies_until) then
            raise;
        end if;
        v_parts := v_parts || array(
            select row(row(s.name, 'dropped', 'deadline', 0, 0)::memhouse.outcome, null)::memhouse.part
            from unnest(memhouse._strategies_of(v_plan.config)) as s (name)
            where s.name not in (select (p.outcome).strategy from unnest(v_parts) as p));
        return memhouse._finish(v_plan, v_parts);
end
$$;
alter function memhouse._retrieve(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text, jsonb) owner to memhouse_api;
comment on function memhouse._retrieve(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text, jsonb) is
'One read from query to page, on one connection. Private to search and search_report.';
