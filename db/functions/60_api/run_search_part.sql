-- One strategy of a sealed plan, on whatever connection stands under the same posture. Errors: MH002 for a plan the server
-- did not make, MH010 for a strategy that is not one of its parallel ones. Definer because strategies are private to memhouse_api.
create or replace function memhouse.run_search_part(p_plan text, p_strategy text)
returns text
language plpgsql stable parallel restricted security definer
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
    perform memhouse._one_of(p_strategy, memhouse._parallel_of(v_plan), 'p_strategy');
    v_request.audiences := memhouse.reader_audiences();
    v_plan.request := v_request;
    return memhouse._sealed('part', encode(sha256(convert_to(p_plan, 'UTF8')), 'hex') || ' ' || memhouse._run_strategy(v_plan, p_strategy)::text);
end
$$;
alter function memhouse.run_search_part(text, text) owner to memhouse_api;
comment on function memhouse.run_search_part(text, text) is
'Runs one strategy of a plan from plan_search, of those named in parallel, and returns its sealed part, for finish_search. Set statement_timeout to the time there is left. Errors: MH001, MH002, MH010.';
