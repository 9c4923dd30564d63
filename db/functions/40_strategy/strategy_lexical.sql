-- Full-text candidates.
--   plain text   any term may match; the score is the sum over terms of ln(1 + M / df) * ts_rank of that term, where M is
--                the number of statements that match at all and df of those with the term: a rare word says more than a
--                common one. Counted over admitted rows only, so a hidden statement changes no score.
--   websearch    ts_rank_cd of the whole expression
-- A plain match earns a factor of 1.5 when two of the query's terms stand within eight words of each other. Only the
-- first twenty compete for it, so a statement far down cannot be promoted by it, and a term that stands in more than half
-- of the matches does not count: it says nothing about closeness (a speaker's name is near everything).
-- Source of the weighting: inverse document frequency (Spärck Jones, 1972) over PostgreSQL's own rank, which has none.
-- Measured against plain ts_rank_cd in bench/quality: better on chat turns, far better on documents.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible view.
-- plpgsql with custom plans: the plan must know the actual tsquery and filters.
create or replace function memhouse.strategy_lexical(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
    -- Built once: inside a query they might be evaluated again for every row.
    v_terms tsquery := (p_request.analyzed).terms;
    v_lexemes text[] := (p_request.analyzed).lexemes;
    v_each tsquery[] := array(select memhouse.term_query(l) from unnest(v_lexemes) as l);
    v_filters memhouse.filters := p_request.filters;
    -- Named again beside the view, whose own values the planner cannot see: with these it knows how much to expect.
    v_reader memhouse.reader := memhouse._reader();
begin
    if (p_request.analyzed).mode = 'websearch' then
        return query
        select k.knowledge_id, ts_rank_cd(k.tsv, v_terms)::double precision, null::jsonb
        from memhouse.admissible_knowledge as k
        where k.tsv @@ v_terms and k.account_id = v_reader.account_id and k.scope_id = any (v_reader.scopes)
          and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, v_filters)
        order by 2 desc, 1
        limit p_limit;
        return;
    end if;

    return query
    with matched as materialized (
        select k.knowledge_id, k.tsv,
            array(select ts_rank(k.tsv, e.term)::double precision from unnest(v_each) with ordinality as e (term, place) order by e.place) as ranks
        from memhouse.admissible_knowledge as k
        where k.tsv @@ v_terms and k.account_id = v_reader.account_id and k.scope_id = any (v_reader.scopes)
          and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, v_filters)
    ),
    weight as materialized (
        select array_agg(ln(1 + f.matched / greatest(f.df, 1)) order by f.place) as idf,
            array_agg(v_lexemes[f.place]) filter (where 2 * f.df <= f.matched) as telling
        from (
            select r.place, count(*)::double precision as matched, count(*) filter (where r.rank > 0) as df
            from matched as m
            cross join lateral unnest(m.ranks) with ordinality as r (rank, place)
            group by r.place
        ) as f
    ),
    listed as materialized (
        select m.knowledge_id, m.tsv,
            (select sum(r.rank * w.idf[r.place]) from unnest(m.ranks) with ordinality as r (rank, place)) as score
        from matched as m
        cross join weight as w
        order by 3 desc, 1
        limit p_limit
    ),
    near as materialized (
        -- Words between the two nearest distinct terms, for the head of the list.
        select g.knowledge_id, min(g.apart) as words_apart
        from (
            select o.knowledge_id, o.position - lag(o.position) over w as apart, o.lexeme <> lag(o.lexeme) over w as distinct_terms
            from (
                select h.knowledge_id, t.lexeme, unnest(t.positions) as position
                from (select l.* from listed as l order by l.score desc, l.knowledge_id limit 20) as h
                cross join lateral unnest(h.tsv) as t
                where t.lexeme = any ((select w.telling from weight as w)::text[])
            ) as o
            window w as (partition by o.knowledge_id order by o.position, o.lexeme)
        ) as g
        where g.distinct_terms
        group by g.knowledge_id
    )
    select l.knowledge_id,
        l.score * case when n.words_apart <= 8 then 1.5 else 1 end,
        case when n.words_apart <= 8 then jsonb_build_object('words_apart', n.words_apart) end
    from listed as l
    left join near as n using (knowledge_id)
    order by 2 desc, 1;
end
$$;
alter function memhouse.strategy_lexical(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_lexical(memhouse.request, integer) is
'Full-text candidates. Plain text: sum over terms of ln(1 + matches / df) * ts_rank of the term (idf after Spärck Jones 1972, over admitted rows), times 1.5 for those of the first twenty in which two terms, neither in more than half of the matches, stand within eight words. Websearch syntax: ts_rank_cd of the expression.';
