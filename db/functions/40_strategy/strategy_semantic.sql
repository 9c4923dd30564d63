-- Vector candidates within one embedding identity: 1 - cosine distance.
-- Two ways to the same list. While the eligible rows are few, all of them are compared: exact, and no filter can
-- starve it. When they are many, the identity's HNSW index is scanned iteratively until enough eligible rows were
-- met; if it gives up early, the exact scan fills the page after all. detail says which way was taken.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible views.
-- Dynamic SQL: the index is on vec cast to the identity's own dimensions, so the cast must be in the text. Without
-- the cast the index cannot be used, which is how the exact way asks for a scan.
create or replace function memhouse.strategy_semantic(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 50
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set hnsw.iterative_scan = strict_order
set hnsw.ef_search = 200
as $$
declare
    v_filters memhouse.filters := p_request.filters;
    v_embedding @extschema:vector@.halfvec := p_request.embedding;
    v_exact_rows integer := memhouse._setting_int('exact_scan_rows');
    v_found integer := 0;
begin
    if p_request.eligible > v_exact_rows then
        return query execute format($sql$
            select e.knowledge_id, 1 - ((e.vec::@extschema:vector@.halfvec(%1$s)) operator(@extschema:vector@.<=>) $1), '{"scan": "hnsw"}'::jsonb
            from memhouse.admissible_embedding as e
            where e.identity_id = %2$s
              and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.confidence, e.recorded_at, $2)
            order by (e.vec::@extschema:vector@.halfvec(%1$s)) operator(@extschema:vector@.<=>) $1
            limit $3
            $sql$, p_request.dimensions, p_request.identity_id)
        using v_embedding, v_filters, p_limit;
        get diagnostics v_found = row_count;
        if v_found >= p_limit then
            return;
        end if;
        -- Rows returned so far cannot be taken back; the exact scan adds those that are missing.
    end if;

    return query
    select e.knowledge_id, 1 - (e.vec operator(@extschema:vector@.<=>) v_embedding), '{"scan": "exact"}'::jsonb
    from memhouse.admissible_embedding as e
    where e.identity_id = p_request.identity_id
      and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.confidence, e.recorded_at, v_filters)
    order by e.vec operator(@extschema:vector@.<=>) v_embedding
    limit p_limit;
end
$$;
alter function memhouse.strategy_semantic(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_semantic(memhouse.request, integer) is
'Vector candidates: 1 - cosine distance within the account''s embedding identity, exact while eligible rows are few, by HNSW with iterative scan when they are many.';
