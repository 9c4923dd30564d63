-- Full-text candidates.
--   plain text   any term may match; the score is the sum over terms of ln(1 + M / df) * ts_rank of that term, where M is
--                the number of statements found and df of those with the term: a rare word says more than a common one.
--                Counted over admitted rows only, so a hidden statement changes no score.
--   websearch    ts_rank_cd of the whole expression
-- A plain match earns a factor of 1.5 when two of the query's terms stand within eight words of each other. Only the
-- first twenty compete for it, so a statement far down cannot be promoted by it, and a term that stands in more than half
-- of the matches does not count: it says nothing about closeness (a speaker's name is near everything).
-- In a large memory a common term, one in common_rows statements or more, finds none: it only ranks what the others found,
-- and weighs ln 2, the least that a term can weigh. Else the cost of a search would grow with the memory. Terms that
-- stand in much of what is newest are not even scanned for (_frequent_terms), unless the others find nothing.
-- Source of the weighting: inverse document frequency (Spärck Jones, 1972) over PostgreSQL's own rank, which has none.
-- Measured against plain ts_rank_cd in bench/quality: better on chat turns, far better on documents.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse.strategy_lexical(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
-- One scan of the full-text index a term: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_websearch constant boolean := (p_request.analyzed).mode = 'websearch';
    v_lexemes constant text[] := (p_request.analyzed).lexemes;
    v_audiences constant bigint[] := p_request.audiences;
    v_filters constant memhouse.filters := p_request.filters;
    -- Null is no bound: then every statement that matches is looked at.
    v_bound constant integer := case when not v_websearch and p_request.eligible > memhouse._setting_int('exact_scan_rows')
        then memhouse._setting_int('common_rows') end;
    v_terms constant tsquery[] := case when v_websearch then array[(p_request.analyzed).terms]
        else array(select memhouse.term_query(l.lexeme) from unnest(v_lexemes) with ordinality as l (lexeme, place) order by l.place) end;
    v_unscanned integer[] := case when v_bound is null then '{}' else memhouse._frequent_terms(p_request, v_terms) end;
begin
    loop
        return query
        with scanned as materialized (
            select t.place, k.knowledge_id, k.rank, k.tsv
            from unnest(v_terms) with ordinality as t (term, place)
            cross join lateral memhouse.within_audiences(t.term, v_audiences) as w (words)
            cross join lateral (
                -- Where every term finds, all are ranked at once; where common ones do not, only what the others found is.
                select a.knowledge_id, case when v_bound is not null then a.tsv end as tsv,
                    case when v_websearch then ts_rank_cd(a.tsv, t.term) when v_bound is null then ts_rank(a.tsv, t.term) end as rank
                from memhouse.admissible_knowledge as a
                where memhouse._audience_words(a.audience, a.tsv) @@ w.words and a.tsv @@ t.term
                  and memhouse.passes_filters(a.knowledge_id, a.kind, a.subject_peer_id, a.confidence, a.recorded_at, v_filters)
                limit v_bound
            ) as k
            where t.place <> all (v_unscanned)
        ),
        term as materialized (
            -- A term that reached the bound is common, unless all did.
            select s.place, count(*)::double precision as df, coalesce(count(*) < v_bound or min(count(*)) over () >= v_bound, true) as finds
            from scanned as s
            group by s.place
        ),
        found as materialized (
            select count(*)::double precision as matched
            from (select distinct s.knowledge_id from scanned as s
                  where s.place <> all (array(select t.place from term as t where not t.finds))) as d
        ),
        weight as materialized (
            select t.place, case when v_websearch then 1 else ln(1 + f.matched / t.df) end as idf, 2 * t.df <= f.matched as telling
            from term as t
            cross join found as f
            where t.finds
        ),
        common as materialized (
            select v_terms[c.place] as term
            from (select unnest(v_unscanned) as place union all select t.place from term as t where not t.finds) as c
        ),
        listed as materialized (
            select s.knowledge_id, count(*) as terms,
                sum(w.idf * case when v_bound is null then s.rank else ts_rank(s.tsv, v_terms[s.place]) end)
                    + coalesce(max(case when v_bound is not null then (select ln(2) * sum(ts_rank(s.tsv, c.term)) from common as c) end), 0) as score
            from scanned as s
            join weight as w using (place)
            group by s.knowledge_id
            order by 3 desc, 1
            limit p_limit
        ),
        head as (
            -- What one term found has no two of them near, unless the scan for the other ended at the bound.
            select w.knowledge_id, w.tsv
            from memhouse._words_of(p_request.account_id, array(
                select h.knowledge_id
                from (select l.* from listed as l order by l.score desc, l.knowledge_id limit 20) as h
                where h.terms > 1 or v_bound is not null)) as w
        ),
        near as materialized (
            -- Words between the two nearest distinct terms, for the head of the list.
            select g.knowledge_id, min(g.apart) as words_apart
            from (
                select o.knowledge_id, o.position - lag(o.position) over w as apart, o.lexeme <> lag(o.lexeme) over w as distinct_terms
                from (
                    select h.knowledge_id, t.lexeme, unnest(t.positions) as position
                    from head as h
                    cross join lateral unnest(h.tsv) as t
                    where t.lexeme = any (array(select v_lexemes[w.place] from weight as w where w.telling))
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
        exit when found or v_unscanned = '{}';
        -- The terms scanned stand nowhere among what passes the filters: then the rarest of the others finds after all.
        v_unscanned := trim_array(v_unscanned, 1);
    end loop;
end
$$;
alter function memhouse.strategy_lexical(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_lexical(memhouse.request, integer) is
'Full-text candidates. Plain text: sum over terms of ln(1 + found / df) * ts_rank of the term (idf after Spärck Jones 1972, over admitted rows), times 1.5 for those of the first twenty in which two terms, neither in more than half of those found, stand within eight words. Among more than exact_scan_rows statements, a term in common_rows of them or more finds none, unless all are, and weighs ln 2. Websearch syntax: ts_rank_cd of the expression.';
