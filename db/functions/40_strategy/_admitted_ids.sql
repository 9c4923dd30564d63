-- The statements that this reader may retrieve and that pass the filters, by id: for what compares or counts all of them.
-- At most p_limit; null is all.
-- Audience by audience: for "= any" of them all the planner may think ten look-ups dearer than an account of ten statements,
-- which is what accounts have on average where they are many, and go through all that this one holds.
-- Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse._admitted_ids(p_account_id uuid, p_audiences bigint[], p_filters memhouse.filters default null, p_limit integer default null)
returns uuid[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
-- A look-up by key has one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
begin
    return array(
        select k.knowledge_id
        from unnest(p_audiences) as a (audience)
        cross join lateral (
            select n.knowledge_id from memhouse.admissible_knowledge as n
            where n.account_id = p_account_id and n.audience = a.audience
              and memhouse.passes_filters(n.knowledge_id, n.kind, n.subject_peer_id, n.confidence, n.recorded_at, p_filters)
            offset 0
        ) as k
        limit p_limit);
end
$$;
alter function memhouse._admitted_ids(uuid, bigint[], memhouse.filters, integer) owner to memhouse_strategy;
comment on function memhouse._admitted_ids(uuid, bigint[], memhouse.filters, integer) is
'Ids of the admitted statements that pass the filters, at most p_limit of them (null: all). Private to the strategies.';
