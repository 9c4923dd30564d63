-- Dated statements that match the text, by how far the instant asked about lies outside the time for which they hold:
-- 1 / (1 + days). Inside the window the score is 1; an open end is never left.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible view.
-- plpgsql with custom plans: the plan must know the actual tsquery and filters.
create or replace function memhouse.strategy_temporal(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
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
        join memhouse.admissible_knowledge as k on memhouse._audience_words(k.audience, k.tsv) @@ w.words
        where k.tsv @@ v_terms
          and (k.relevant_from is not null or k.relevant_until is not null)
          and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, v_filters)
    ) as m
    order by m.days_outside, m.text_rank desc, m.knowledge_id
    limit p_limit;
end
$$;
alter function memhouse.strategy_temporal(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_temporal(memhouse.request, integer) is
'Dated text matches by 1 / (1 + days outside the valid window) of as_of; an open or infinite end of a window is never left. Runs only with as_of.';
