-- Runs one strategy of a plan, inside its deadline, and says how it fared.
--
-- The caller sets statement_timeout to the time there is (begin_search). When it fires inside the strategy and
-- that time has indeed passed, the strategy is dropped and the read goes on to answer with what it has. A cancel that
-- comes earlier is a person's and goes through. Without statement_timeout the time is checked between strategies only.
-- A failing strategy is dropped, not the read; what is everybody's problem (a broken seal, a changed authority, a
-- conflict, no memory) goes through.
-- Definer because strategies are private to memhouse_api.
create or replace function memhouse._run_strategy(p_plan memhouse.search_plan, p_strategy text)
returns memhouse.part
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_started constant timestamptz := clock_timestamp();
    v_part memhouse.part;
    v_outcome memhouse.outcome := memhouse._applicable(p_strategy, p_plan.request);
begin
    if v_outcome.outcome is null and v_started >= p_plan.strategies_until then
        v_outcome.outcome := 'dropped';
        v_outcome.reason_class := 'deadline';
    elsif v_outcome.outcome is null then
        begin
            v_part.list := memhouse._propose(p_strategy, p_plan.request, greatest(p_plan.page_limit, (p_plan.config ->> 'depth')::integer));
            v_outcome.outcome := case when v_part.list is null then 'empty' else 'contributed' end;
        exception
            when query_canceled then
                if not memhouse._deadline_fired(p_plan.strategies_until) then
                    raise;
                end if;
                v_outcome.outcome := 'dropped';
                v_outcome.reason_class := 'timeout';
            when transaction_rollback or insufficient_resources or sqlstate 'MH002' or sqlstate 'MH023' then
                raise;
            when others then
                raise log 'memhouse: strategy % failed with %', p_strategy, sqlstate;
                v_outcome.outcome := 'dropped';
                v_outcome.reason_class := 'failed';
        end;
    end if;
    v_outcome.strategy := p_strategy;
    v_outcome.candidates := coalesce(cardinality(v_part.list), 0);
    v_outcome.ms := round(extract(epoch from clock_timestamp() - v_started) * 1000, 3);
    v_part.outcome := v_outcome;
    return v_part;
end
$$;
alter function memhouse._run_strategy(memhouse.search_plan, text) owner to memhouse_api;
comment on function memhouse._run_strategy(memhouse.search_plan, text) is 'One strategy of a plan under its deadline: outcome and candidates. Private to the read API.';
