-- Full-text candidates: ts_rank_cd over any-term matches, with a bounded bonus for proximity.
-- The bonus is a factor of 1.5 when two of the query's terms stand within eight words of each other. Only the first
-- twenty compete for it, so a statement far down cannot be promoted by it, and a term that stands in more than half of
-- the list says nothing about closeness (a speaker's name is near everything) and does not count. Measured on dated
-- chat turns: without that last rule the bonus lowers recall, with it recall rises (bench/quality).
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible view.
-- plpgsql with custom plans: the plan must know the actual tsquery and filters.
create or replace function memhouse.strategy_lexical(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
    -- Built once: inside the query it might be evaluated again for every row.
    v_terms tsquery := (p_request.analyzed).terms;
    v_lexemes text[] := (p_request.analyzed).lexemes;
    v_filters memhouse.filters := p_request.filters;
    -- Named again beside the view, whose own values the planner cannot see: with these it knows how much to expect.
    v_reader memhouse.reader := memhouse._reader();
begin
    return query
    with matched as materialized (
        select k.knowledge_id, k.tsv, ts_rank_cd(k.tsv, v_terms)::double precision as score
        from memhouse.admissible_knowledge as k
        where k.tsv @@ v_terms and k.account_id = v_reader.account_id and k.scope_id = any (v_reader.scopes)
          and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, v_filters)
        order by 3 desc, 1
        limit p_limit
    ),
    telling as materialized (
        select array_agg(l.lexeme) as lexemes
        from unnest(v_lexemes) as l (lexeme)
        where 2 * (select count(*) from matched as m where l.lexeme = any (tsvector_to_array(m.tsv)))
              <= (select count(*) from matched)
    ),
    near as materialized (
        -- Words between the two nearest distinct terms, for the head of the list.
        select g.knowledge_id, min(g.apart) as words_apart
        from (
            select o.knowledge_id, o.position - lag(o.position) over w as apart, o.lexeme <> lag(o.lexeme) over w as distinct_terms
            from (
                select m.knowledge_id, t.lexeme, unnest(t.positions) as position
                from (select * from matched order by score desc, knowledge_id limit 20) as m
                cross join lateral unnest(m.tsv) as t
                where t.lexeme = any ((select lexemes from telling)::text[])
            ) as o
            window w as (partition by o.knowledge_id order by o.position, o.lexeme)
        ) as g
        where g.distinct_terms
        group by g.knowledge_id
    )
    select m.knowledge_id,
        m.score * case when n.words_apart <= 8 then 1.5 else 1 end,
        case when n.words_apart <= 8 then jsonb_build_object('words_apart', n.words_apart) end
    from matched as m
    left join near as n using (knowledge_id)
    order by 2 desc, 1;
end
$$;
alter function memhouse.strategy_lexical(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_lexical(memhouse.request, integer) is
'Full-text candidates: ts_rank_cd over statements sharing any term (or matching the websearch expression); times 1.5 for those of the first twenty in which two terms, neither in more than half of the list, stand within eight words.';
