-- Score-normalising fusion of the parts of a read, whose lists come best first (_propose). Per list, scores are mapped to
-- 0..1 by min-max (a singleton or tied list to 1: it has no observed tail); a strategy contributes
-- weight * (0.95 * normalised + 0.05 * (k + 1) / (k + rank)); the fused score is the sum of contributions over the sum of
-- the weights of ALL configured strategies, so that a dropped strategy never inflates a score. Order: score, then id.
-- Source: convex combination after min-max as in Bruch, Gai and Ingber,
-- "An Analysis of Fusion Functions for Hybrid Retrieval" (2023), with a reciprocal-rank tie-break.
-- p_limit with p_floor: the first p_limit, and whatever has at least p_floor times the score of the last of them, since
-- factors applied afterwards (none below p_floor) could still bring it onto the page.
create or replace function memhouse.fuse(p_parts memhouse.part[], p_config jsonb, p_limit integer, p_floor double precision default 1)
returns table (id uuid, fusion_score double precision, strategies jsonb)
language sql immutable parallel safe rows 50
begin atomic
    -- Gone through twice: that is cheaper than keeping a few hundred rows of which a few dozen are asked for again.
    with weighed as not materialized (
        select l.strategy, c.id, c.score, n.normalised, c.place, l.weight, c.detail,
            -- In double precision throughout: numeric is ten times as slow.
            l.weight * (0.95 * n.normalised + 0.05::double precision * (l.k + 1) / (l.k + c.place)) as contribution
        from (
            select (p.outcome).strategy, (p_config -> 'strategies' ->> (p.outcome).strategy)::double precision as weight,
                (p_config ->> 'rrf_k')::integer as k,
                p.list, (p.list[1]).score as high, (p.list[cardinality(p.list)]).score as low
            from unnest(p_parts) as p
            where p_config -> 'strategies' ? (p.outcome).strategy
            -- Adding up in one order gives one sum, to the last bit, whatever the order of the parts.
            order by 1
        ) as l
        cross join lateral unnest(l.list) with ordinality as c (strategy, id, score, detail, place)
        cross join lateral (select case when l.high > l.low then (c.score - l.low) / (l.high - l.low) else 1 end as normalised) as n
    ),
    fused as materialized (
        select w.id,
            sum(w.contribution) / (select sum(e.value::double precision) from jsonb_each(p_config -> 'strategies') as e) as fusion_score
        from weighed as w
        group by w.id
    ),
    head as (
        select f.id, f.fusion_score
        from fused as f
        where p_limit is null or f.fusion_score >= coalesce(
            p_floor * (select l.fusion_score from fused as l order by l.fusion_score desc offset p_limit - 1 limit 1), '-infinity')
    )
    select h.id, h.fusion_score,
        jsonb_object_agg(w.strategy, case
            when w.detail is null then jsonb_build_object(
                'raw', w.score, 'normalised', w.normalised, 'rank', w.place, 'weight', w.weight, 'contribution', w.contribution)
            else jsonb_build_object(
                'raw', w.score, 'normalised', w.normalised, 'rank', w.place, 'weight', w.weight, 'contribution', w.contribution,
                'detail', w.detail)
        end)
    from head as h
    join weighed as w on w.id = h.id
    group by h.id, h.fusion_score
    order by h.fusion_score desc, h.id;
end;
comment on function memhouse.fuse(memhouse.part[], jsonb, integer, double precision) is
'Fuses the lists of several strategies, each best first: min-max per list (a singleton or tied list is 1), weight * (0.95 * normalised + 0.05 * (k + 1) / (k + rank)), summed over the weights of all configured strategies; 0 to 1, ties by id; strategies: what each added, as score_breakdown shows it. p_config: a profile''s, of which strategies (the weights) and rrf_k (k) count. p_limit: null is all; ties with the last, and those within p_floor (a factor, 1 is none) of it, come too.';
