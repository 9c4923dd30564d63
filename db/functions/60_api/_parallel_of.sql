-- The strategies of a plan that are worth a connection: those that will run, and start from no other. Whoever finishes the
-- read runs the rest.
create or replace function memhouse._parallel_of(p_plan memhouse.search_plan)
returns text[]
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    return array(
        select s.name from unnest(memhouse._strategies_of(p_plan.config)) with ordinality as s (name, place)
        where s.name <> 'relation_expand' and (memhouse._applicable(s.name, p_plan.request)).outcome is null
        order by s.place);
end
$$;
comment on function memhouse._parallel_of(memhouse.search_plan) is 'The strategies of a plan that may run each on a connection of its own. Private to the read API.';
