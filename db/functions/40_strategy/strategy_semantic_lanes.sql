-- The minimal profile's vectors: recall documents of two lanes, direct (said or observed) and derived (deduced,
-- consolidated), each searched once with its own limit, then interleaved by lane rank, direct first on a tie. The
-- score is the place in that order, 1 for the first, falling evenly; lane, operation, lane rank and cosine distance
-- stand in detail, so an evaluation need not infer them.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible views.
create or replace function memhouse.strategy_semantic_lanes(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
-- From the reader's statements to their documents by key: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_account uuid := p_request.account_id;
    v_embedding @extschema:vector@.halfvec := p_request.embedding;
    v_ids uuid[] := coalesce(p_request.admitted, memhouse._admitted_ids(v_account, p_request.audiences, p_request.filters));
begin
    return query
    with lanes as (
        select d.*, row_number() over (partition by d.lane order by d.distance, d.knowledge_id) as lane_rank
        from (
            select r.lane, r.knowledge_id, r.operation, r.vec operator(@extschema:vector@.<=>) v_embedding as distance
            from memhouse.admissible_recall_document as r
            where r.account_id = v_account and r.knowledge_id = any (v_ids) and r.identity_id = p_request.identity_id
        ) as d
    )
    select i.knowledge_id, (1 - (i.place - 1)::double precision / i.total),
        jsonb_build_object('lane', i.lane, 'operation', i.operation, 'lane_rank', i.lane_rank, 'distance', i.distance)
    from (
        select l.*, row_number() over (order by l.lane_rank, l.lane = 'derived', l.knowledge_id) as place, count(*) over () as total
        from lanes as l
        where l.lane_rank <= p_limit
    ) as i
    order by i.place
    limit p_limit;
end
$$;
alter function memhouse.strategy_semantic_lanes(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_semantic_lanes(memhouse.request, integer) is
'Recall documents of the direct and the derived lane, searched apart and interleaved by lane rank, direct first on a tie; for the minimal profile.';
