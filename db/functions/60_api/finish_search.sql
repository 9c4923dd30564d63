-- Last step of a read over several connections: fuses the parts and reads the page. Strategies of the plan whose part
-- is not among them did not come in time: they are reported as dropped, timeout. The same functions as a read on one
-- connection, so the same answer. Errors: MH001, MH002. Definer because _finish is private to memhouse_api.
create or replace function memhouse.finish_search(p_plan text, p_parts text[])
returns jsonb
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
-- Plan and parts travel as text: it must read the same under any settings of the sessions.
set datestyle = 'ISO, YMD'
set extra_float_digits = 1
as $$
declare
    v_plan memhouse.search_plan := memhouse._unsealed('plan', p_plan)::memhouse.search_plan;
    v_given memhouse.part[] := array(select memhouse._part(p_plan, s) from unnest(p_parts) as s where s is not null);
    v_parts memhouse.part[];
begin
    select array_agg(coalesce(g.part, row(row(s.name, 'dropped', 'timeout', v_plan.deadline_ms - v_plan.reserved_rerank_ms, 0)::memhouse.outcome, null)::memhouse.part)
                     order by s.place)
    into v_parts
    from unnest(memhouse._strategies_of(v_plan.config)) with ordinality as s (name, place)
    left join lateral (
        select p as part from unnest(v_given) as p where (p.outcome).strategy = s.name limit 1) as g on true;
    return memhouse._report(memhouse._finish(v_plan, v_parts));
end
$$;
alter function memhouse.finish_search(text, text[]) owner to memhouse_api;
comment on function memhouse.finish_search(text, text[]) is
'Fuses the parts of a plan from plan_search and returns the report of search_report; a strategy without a part is reported as dropped, timeout. Errors: MH001, MH002.';
