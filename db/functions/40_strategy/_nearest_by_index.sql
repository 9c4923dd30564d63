-- Loads pgvector into this session: only then may a role that is no superuser name its settings below.
select '[0]'::@extschema:vector@.vector;

-- Scans the identity's HNSW index iteratively until enough eligible rows were met, or hnsw.max_scan_tuples rows in all.
-- The list is longer than a page (depth), which is what keeps the recall of a page high: see bench/recall.
-- The account is named beside the view, whose own value the planner cannot see, so that it knows how much to expect; the
-- audiences are not, since of those it expects little and would look them up first. Sorting is priced out, so that the
-- planner takes the index: the caller has counted, and knows better.
-- Dynamic SQL: the index is on vec cast to the identity's own dimensions, so the cast must be in the text.
-- Output: at most p_limit rows, nearest first, fewer when the scan gave up. Definer because only memhouse_strategy may
-- read the admissible views.
create or replace function memhouse._nearest_by_index(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_sort = off
set hnsw.iterative_scan = strict_order
set hnsw.ef_search = 800
set hnsw.max_scan_tuples = 40000
as $$
begin
    return query execute format($sql$
        select e.knowledge_id, 1 - ((e.vec::@extschema:vector@.halfvec(%1$s)) operator(@extschema:vector@.<=>) $1), null::jsonb
        from memhouse.admissible_embedding as e
        where e.identity_id = %2$s and e.account_id = $4
          and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.confidence, e.recorded_at, $2)
        order by (e.vec::@extschema:vector@.halfvec(%1$s)) operator(@extschema:vector@.<=>) $1
        limit $3
        $sql$, p_request.dimensions, p_request.identity_id)
    using p_request.embedding, p_request.filters, p_limit, p_request.account_id;
end
$$;
alter function memhouse._nearest_by_index(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse._nearest_by_index(memhouse.request, integer) is 'The nearest statements by an iterative scan of the HNSW index; may find fewer than there are. Private to the semantic strategy.';
