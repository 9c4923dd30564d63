-- The minimal profile's vectors: recall documents of two lanes, direct (said or observed) and derived (deduced,
-- consolidated), each searched once with its own limit, then interleaved by lane rank, direct first on a tie. The
-- score is the place in that order, 1 for the first, falling evenly; lane, operation, lane rank and cosine distance
-- stand in detail, so an evaluation need not infer them.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible views.
create or replace function memhouse.strategy_semantic_lanes(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
    v_filters memhouse.filters := p_request.filters;
    -- Named again beside the view, whose own values the planner cannot see: with these it knows how much to expect.
    v_account uuid := p_request.account_id;
    v_audiences bigint[] := p_request.audiences;
    v_embedding @extschema:vector@.halfvec := p_request.embedding;
begin
    return query
    with lanes as (
        select l.lane, d.*, row_number() over (partition by l.lane order by d.distance, d.knowledge_id) as lane_rank
        from (values ('direct'), ('derived')) as l (lane)
        cross join lateral (
            select r.knowledge_id, r.operation, r.vec operator(@extschema:vector@.<=>) v_embedding as distance
            from memhouse.admissible_recall_document as r
            where r.identity_id = p_request.identity_id and r.lane = l.lane
              and r.account_id = v_account and r.audience = any (v_audiences)
              and memhouse.passes_filters(r.knowledge_id, r.kind, r.subject_peer_id, r.confidence, r.recorded_at, v_filters)
            order by 3, 1
            limit p_limit
        ) as d
    )
    select i.knowledge_id, (1 - (i.place - 1)::double precision / i.total),
        jsonb_build_object('lane', i.lane, 'operation', i.operation, 'lane_rank', i.lane_rank, 'distance', i.distance)
    from (
        select l.*, row_number() over (order by l.lane_rank, l.lane = 'derived', l.knowledge_id) as place, count(*) over () as total
        from lanes as l
    ) as i
    order by i.place
    limit p_limit;
end
$$;
alter function memhouse.strategy_semantic_lanes(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_semantic_lanes(memhouse.request, integer) is
'Recall documents of the direct and the derived lane, searched apart and interleaved by lane rank, direct first on a tie; for the minimal profile.';
