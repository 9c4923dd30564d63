-- From a plan to its answer: its strategies in their order, then fusion and page. p_elsewhere: those that ran on other
-- connections, whose parts are given; one whose part is not given did not come in time.
-- The caller sets statement_timeout, which fires once (p_fired: it did before): what is left is then said to be dropped, and
-- the answer still comes. From there on a lock is waited for no longer than lock_timeout, and a cancel is a person's.
create or replace function memhouse._run_plan(
    p_plan memhouse.search_plan, p_elsewhere text[] default '{}', p_given memhouse.part[] default '{}', p_fired boolean default false
)
returns memhouse.retrieval
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    v_lock_timeout constant text := current_setting('lock_timeout');
    v_fired boolean := p_fired;
    v_plan memhouse.search_plan := p_plan;
    v_request memhouse.request := p_plan.request;
    v_parts memhouse.part[] := '{}';
    v_part memhouse.part;
    v_strategy text;
    v_found memhouse.retrieval;
begin
    foreach v_strategy in array memhouse._strategies_of(v_plan.config) loop
        if v_strategy = any (p_elsewhere) then
            select p.* into v_part from unnest(p_given) as p where (p.outcome).strategy = v_strategy;
            if not found then
                v_part := row(row(v_strategy, 'dropped', 'timeout', v_plan.deadline_ms - v_plan.reserved_rerank_ms, 0)::memhouse.outcome, null);
            end if;
        else
            v_part := memhouse._run_strategy(v_plan, v_strategy);
            if (v_part.outcome).reason_class = 'timeout' then
                v_fired := true;
                v_plan.strategies_until := least(v_plan.strategies_until, clock_timestamp());
                perform set_config('lock_timeout', '20', true);
            end if;
        end if;
        v_parts := v_parts || v_part;
        v_request.seeds := v_request.seeds || v_part.list;
        v_plan.request := v_request;
    end loop;
    v_found := memhouse._finish(v_plan, v_parts);
    perform set_config('lock_timeout', v_lock_timeout, true);
    return v_found;
exception
    when query_canceled then
        -- Between the strategies, or after them.
        if v_fired or not memhouse._deadline_fired(v_plan.strategies_until) then
            raise;
        end if;
        perform set_config('lock_timeout', '20', true);
        v_parts := v_parts || array(
            select row(row(s.name, 'dropped', 'deadline', 0, 0)::memhouse.outcome, null)::memhouse.part
            from unnest(memhouse._strategies_of(v_plan.config)) as s (name)
            where s.name not in (select (p.outcome).strategy from unnest(v_parts) as p));
        v_found := memhouse._finish(v_plan, v_parts);
        perform set_config('lock_timeout', v_lock_timeout, true);
        return v_found;
end
$$;
comment on function memhouse._run_plan(memhouse.search_plan, text[], memhouse.part[], boolean) is
'Runs the strategies of a plan, but for those that ran elsewhere, and comes to the answer. Private to the read API.';
