-- How many admitted statements pass the filters, counted up to p_cap. Strategies choose by it, and idf uses it: it is
-- a count of what the reader may see, so it tells nothing else. Definer because only memhouse_strategy may read the view.
create or replace function memhouse.eligible_rows(p_filters memhouse.filters, p_cap integer)
returns integer
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
    -- Named again beside the view, whose own values the planner cannot see: with these it knows how much to expect.
    v_reader memhouse.reader := memhouse._reader();
begin
    return (
        select count(*)
        from (select from memhouse.admissible_knowledge as k
              where k.account_id = v_reader.account_id and k.scope_id = any (v_reader.scopes)
                and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, p_filters)
              limit p_cap) as bounded);
end
$$;
alter function memhouse.eligible_rows(memhouse.filters, integer) owner to memhouse_strategy;
comment on function memhouse.eligible_rows(memhouse.filters, integer) is 'Number of admitted statements that pass the filters; counting stops at p_cap.';
