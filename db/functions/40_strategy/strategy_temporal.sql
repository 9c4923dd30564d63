-- Dated statements that match the text, by how far the instant asked about lies outside the time for which they hold:
-- 1 / (1 + days). Inside the window the score is 1; an open end is never left.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse.strategy_temporal(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
-- Look-ups by key and by word have one good plan, whatever the values: the statistics of a word or a name are those of all.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_terms tsquery := (p_request.analyzed).terms;
    v_audiences bigint[] := p_request.audiences;
    v_filters memhouse.filters := p_request.filters;
    -- Seconds, so that an infinite instant is simply infinitely far: timestamps cannot be subtracted from infinity.
    v_instant double precision := extract(epoch from p_request.as_of);
begin
    return query
    select m.knowledge_id, 1 / (1 + m.days_outside), case when m.days_outside < 'infinity' then jsonb_build_object('days_outside', round(m.days_outside::numeric, 3)) end
    from (
        select k.knowledge_id,
            greatest(
                case when isfinite(k.relevant_from) then extract(epoch from k.relevant_from)::double precision - v_instant end,
                case when isfinite(k.relevant_until) then v_instant - extract(epoch from k.relevant_until)::double precision end,
                0) / 86400 as days_outside,
            ts_rank_cd(k.tsv, v_terms) as text_rank
        from memhouse.within_audiences(v_terms, v_audiences) as w (words)
        -- offset 0: by the index, piece by piece, and not as a join of all that the table holds.
        cross join lateral (
            select n.* from memhouse.admissible_knowledge as n
            where memhouse._audience_words(n.audience, n.tsv) @@ w.words and n.tsv @@ v_terms
              and (n.relevant_from is not null or n.relevant_until is not null)
              and memhouse.passes_filters(n.knowledge_id, n.kind, n.subject_peer_id, n.confidence, n.recorded_at, v_filters)
            offset 0
        ) as k
    ) as m
    order by m.days_outside, m.text_rank desc, m.knowledge_id
    limit p_limit;
end
$$;
alter function memhouse.strategy_temporal(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_temporal(memhouse.request, integer) is
'Dated text matches by 1 / (1 + days outside the valid window) of as_of; an open or infinite end of a window is never left. Runs only with as_of.';
