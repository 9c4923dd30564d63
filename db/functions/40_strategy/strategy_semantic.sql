-- Vector candidates within one embedding identity: 1 - cosine distance.
-- Two ways to the same list. Up to exact_scan_rows eligible statements, all of them are compared: exact, and no filter
-- can starve it. Above that, the identity's HNSW index is scanned iteratively until enough eligible rows were met; if
-- it gives up before (the neighbourhood is mostly of rows this reader may not see), everything is compared after all.
-- A page is never under-filled. The choice rests on the count of what the reader may see, so it tells nothing else;
-- detail says which way was taken.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible views.
-- Dynamic SQL: the index is on vec cast to the identity's own dimensions, so the cast must be in the text. Without
-- the cast the index cannot be used, which is how the exact way asks for a scan.
-- Loads pgvector into this session: only then may a role that is no superuser name its settings below.
select '[0]'::@extschema:vector@.vector;

create or replace function memhouse.strategy_semantic(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set hnsw.iterative_scan = strict_order
set hnsw.ef_search = 400
set hnsw.max_scan_tuples = 40000
as $$
declare
    v_filters memhouse.filters := p_request.filters;
    v_embedding @extschema:vector@.halfvec := p_request.embedding;
    v_candidates memhouse.candidate[];
    -- Named again beside the view, whose own values the planner cannot see: with these it knows how much to expect.
    v_reader memhouse.reader := memhouse._reader();
begin
    if p_request.eligible > memhouse._setting_int('exact_scan_rows') then
        execute format($sql$
            select array_agg(row(f.knowledge_id, 1 - f.distance, '{"scan": "hnsw"}')::memhouse.candidate)
            from (
                select e.knowledge_id, (e.vec::@extschema:vector@.halfvec(%1$s)) operator(@extschema:vector@.<=>) $1 as distance
                from memhouse.admissible_embedding as e
                where e.identity_id = %2$s and e.account_id = $4 and e.scope_id = any ($5)
                  and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.confidence, e.recorded_at, $2)
                order by (e.vec::@extschema:vector@.halfvec(%1$s)) operator(@extschema:vector@.<=>) $1
                limit $3
            ) as f
            $sql$, p_request.dimensions, p_request.identity_id)
        into v_candidates using v_embedding, v_filters, p_limit, v_reader.account_id, v_reader.scopes;
        if cardinality(v_candidates) >= p_limit then
            return query select c.* from unnest(v_candidates) as c;
            return;
        end if;
    end if;

    return query
    select e.knowledge_id, 1 - (e.vec operator(@extschema:vector@.<=>) v_embedding), '{"scan": "exact"}'::jsonb
    from memhouse.admissible_embedding as e
    where e.identity_id = p_request.identity_id and e.account_id = v_reader.account_id and e.scope_id = any (v_reader.scopes)
      and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.confidence, e.recorded_at, v_filters)
    order by e.vec operator(@extschema:vector@.<=>) v_embedding
    limit p_limit;
end
$$;
alter function memhouse.strategy_semantic(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_semantic(memhouse.request, integer) is
'Vector candidates: 1 - cosine distance within the account''s embedding identity; exact up to exact_scan_rows eligible rows, by HNSW with iterative scan above, and exact after all when that finds too few.';
