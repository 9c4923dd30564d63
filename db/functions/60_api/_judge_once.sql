-- A plan with all that its reader may retrieve, where a strategy of it will compare all of that: judged here once, for
-- whichever strategies ask (vectors, entity names), instead of by each of them. For reads whose strategies run in one
-- call: a plan that leaves the server says nothing of what there is.
create or replace function memhouse._judge_once(p_plan memhouse.search_plan)
returns memhouse.search_plan
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    v_plan memhouse.search_plan := p_plan;
    v_request memhouse.request := p_plan.request;
begin
    if v_request.eligible is null and v_request.filters is null and (
        p_plan.config -> 'strategies' ? 'semantic' and (memhouse._applicable('semantic', v_request)).outcome is null
        or p_plan.config -> 'strategies' ? 'semantic_lanes' and (memhouse._applicable('semantic_lanes', v_request)).outcome is null
    ) then
        v_request.admitted := memhouse._admitted_ids(v_request.account_id, v_request.audiences);
        v_plan.request := v_request;
    end if;
    return v_plan;
end
$$;
comment on function memhouse._judge_once(memhouse.search_plan) is
'A plan with the ids of all that its reader may retrieve, where a strategy compares them all. Private to the read API.';
