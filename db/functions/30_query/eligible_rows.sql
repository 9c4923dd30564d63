-- How many admitted statements pass the filters, counted up to p_cap. idf uses it: it is a count of what the reader may
-- see, so it tells nothing else. Definer because only memhouse_strategy may read the view.
create or replace function memhouse.eligible_rows(p_filters memhouse.filters, p_cap integer)
returns integer
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
-- A look-up by key has one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_account uuid := memhouse.reader_account();
    v_audiences bigint[] := memhouse.reader_audiences();
begin
    return (
        select count(*)
        from (select from memhouse.admissible_knowledge as k
              where k.account_id = v_account and k.audience = any (v_audiences)
                and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, p_filters)
              limit p_cap) as bounded);
end
$$;
alter function memhouse.eligible_rows(memhouse.filters, integer) owner to memhouse_strategy;
comment on function memhouse.eligible_rows(memhouse.filters, integer) is 'Number of admitted statements that pass the filters; counting stops at p_cap.';
