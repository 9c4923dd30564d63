-- Compares every eligible statement. Written without the cast to the identity's dimensions, so that the vector index
-- cannot be used: exact, and no filter can starve it.
-- Output: at most p_limit rows, nearest first. Definer because only memhouse_strategy may read the admissible views.
create or replace function memhouse._nearest_exact(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
-- From the reader's statements to their vectors by key: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_filters memhouse.filters := p_request.filters;
    v_embedding @extschema:vector@.halfvec := p_request.embedding;
    v_account uuid := memhouse.reader_account();
    v_audiences bigint[] := p_request.audiences;
begin
    return query
    select n.knowledge_id, 1 - n.distance, null::jsonb
    from (
        select e.knowledge_id, e.vec operator(@extschema:vector@.<=>) v_embedding as distance
        from memhouse.admissible_embedding as e
        where e.identity_id = p_request.identity_id and e.account_id = v_account and e.audience = any (v_audiences)
          and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.confidence, e.recorded_at, v_filters)
        order by distance
        limit p_limit
    ) as n;
end
$$;
alter function memhouse._nearest_exact(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse._nearest_exact(memhouse.request, integer) is 'The nearest statements by comparing all eligible ones. Private to the semantic strategy.';
