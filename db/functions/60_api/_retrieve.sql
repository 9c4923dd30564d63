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
    v_lock_timeout constant text := current_setting('lock_timeout');
    v_plan memhouse.search_plan;
    v_fired boolean := false;
    v_found memhouse.retrieval;
begin
    begin
        v_plan := memhouse._plan(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity, p_override);
        v_plan := memhouse._judge_once(v_plan);
    exception
        when query_canceled then
            -- The deadline fell before the first strategy: no error, but an answer which says that none ran. It takes a plan.
            -- statement_timeout fires once, so a lock that the plan had waited for must not be waited for again.
            perform set_config('lock_timeout', '20', true);
            if v_plan is null then
                v_plan := memhouse._plan(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity, p_override);
            end if;
            if not memhouse._deadline_fired(v_plan.strategies_until) then
                raise;
            end if;
            v_fired := true;
            v_plan.strategies_until := least(v_plan.strategies_until, clock_timestamp());
    end;
    v_found := memhouse._run_plan(v_plan, p_fired => v_fired);
    perform set_config('lock_timeout', v_lock_timeout, true);
    return v_found;
end
$$;
alter function memhouse._retrieve(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text, jsonb) owner to memhouse_api;
comment on function memhouse._retrieve(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text, jsonb) is
'One read from query to page, on one connection. Private to search and search_report.';
