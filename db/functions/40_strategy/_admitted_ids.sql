-- The statements that this reader may retrieve and that pass the filters, by id: for what compares or counts all of them.
-- At most p_limit; null is all. Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse._admitted_ids(p_account_id uuid, p_audiences bigint[], p_filters memhouse.filters default null, p_limit integer default null)
returns uuid[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
-- A look-up by key has one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
begin
    return array(
        select k.knowledge_id from memhouse.admissible_knowledge as k
        where k.account_id = p_account_id and k.audience = any (p_audiences)
          and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, p_filters)
        limit p_limit);
end
$$;
alter function memhouse._admitted_ids(uuid, bigint[], memhouse.filters, integer) owner to memhouse_strategy;
comment on function memhouse._admitted_ids(uuid, bigint[], memhouse.filters, integer) is
'Ids of the admitted statements that pass the filters, at most p_limit of them (null: all). Private to the strategies.';
