-- Last step of a read over several connections: runs what the others did not, fuses, and reads the page. Strategies whose part
-- should be among the given and is not did not come in time: they are reported as dropped, timeout. The same functions as a
-- read on one connection, so the same answer. Errors: MH001, MH002. Definer because they are private to memhouse_api.
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
    v_request memhouse.request := v_plan.request;
begin
    v_request.audiences := memhouse.reader_audiences();
    v_plan.request := v_request;
    return memhouse._report(memhouse._run_plan(v_plan, memhouse._parallel_of(v_plan),
        array(select memhouse._part(p_plan, s) from unnest(p_parts) as s where s is not null)));
end
$$;
alter function memhouse.finish_search(text, text[]) owner to memhouse_api;
comment on function memhouse.finish_search(text, text[]) is
'Runs what is left of a plan from plan_search, fuses it with the parts and returns the report of search_report; a parallel strategy without a part is reported as dropped, timeout. Set statement_timeout to the time there is left. Errors: MH001, MH002.';
