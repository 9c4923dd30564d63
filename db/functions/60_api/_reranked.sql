-- Hits in the order of a reranker. p_scores: one a hit, from the first, as many as there was time for.
-- Among the hits that were scored: weight * reranker + (1 - weight) * what they had, each stretched to 0..1. The result
-- is put back into the range their scores had, so what was not scored stays behind and scores stay comparable.
create or replace function memhouse._reranked(p_hits memhouse.hit[], p_scores double precision[], p_weight double precision, p_model text)
returns memhouse.hit[]
language sql stable parallel safe
begin atomic
    select array_agg(row(
        o.rank, (o.hit).id, (o.hit).statement, o.score, (o.hit).fusion_score,
        (o.hit).score_breakdown || case when o.raw is null then '{}' else jsonb_build_object(
            'rerank', jsonb_build_object('model', p_model, 'raw', o.raw, 'normalised', o.second, 'weight', p_weight, 'before', (o.hit).score),
            'score', o.score) end,
        (o.hit).kind, (o.hit).subject_peer, (o.hit).scope, (o.hit).sensitivity, (o.hit).confidence, (o.hit).relevant_from,
        (o.hit).relevant_until, (o.hit).recorded_at, (o.hit).sources)::memhouse.hit order by o.rank)
    from (
        select b.*, row_number() over (order by b.raw is null, b.score desc, b.place) as rank
        from (
            select s.*,
                case when s.raw is null then (s.hit).score
                    else s.low + (s.high - s.low) * (p_weight * s.second + (1 - p_weight) * s.first) end as score
            from (
                select n.*,
                    case when n.high = n.low then 1 else ((n.hit).score - n.low) / (n.high - n.low) end as first,
                    case when n.raw_high = n.raw_low then 1 else (n.raw - n.raw_low) / (n.raw_high - n.raw_low) end as second
                from (
                    select u.place, row(u.rank, u.id, u.statement, u.score, u.fusion_score, u.score_breakdown, u.kind, u.subject_peer, u.scope,
                            u.sensitivity, u.confidence, u.relevant_from, u.relevant_until, u.recorded_at, u.sources)::memhouse.hit as hit,
                        p_scores[u.place] as raw,
                        min(u.score) filter (where p_scores[u.place] is not null) over () as low,
                        max(u.score) filter (where p_scores[u.place] is not null) over () as high,
                        min(p_scores[u.place]) over () as raw_low,
                        max(p_scores[u.place]) over () as raw_high
                    from unnest(p_hits) with ordinality as u (
                        rank, id, statement, score, fusion_score, score_breakdown, kind, subject_peer, scope, sensitivity, confidence,
                        relevant_from, relevant_until, recorded_at, sources, place)
                ) as n
            ) as s
        ) as b
    ) as o;
end;
comment on function memhouse._reranked(memhouse.hit[], double precision[], double precision, text) is
'Hits blended with a reranker''s scores, in their new order: weight * reranker + (1 - weight) * score before, each stretched to 0..1 over what was scored. Private to the read API.';
