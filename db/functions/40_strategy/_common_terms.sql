-- Which terms of a query (their places in p_terms) are too common in a large memory to find statements by themselves: those
-- in more than p_bound admitted ones. A term in a tenth of the newest is taken for one without being counted. When all
-- are, the rarest of them finds after all, the first p_bound statements of it.
-- Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse._common_terms(p_request memhouse.request, p_terms tsquery[], p_bound integer)
returns integer[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
-- One scan of the full-text index a term: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_filters constant memhouse.filters := p_request.filters;
    v_account constant uuid := memhouse.reader_account();
    v_common integer[];
begin
    with newest as materialized (
        select k.tsv
        from unnest(coalesce(p_request.audiences, memhouse.reader_audiences())) as a (audience)
        cross join lateral (
            select n.tsv from memhouse.admissible_knowledge as n
            where n.account_id = v_account and n.audience = a.audience
            order by n.recorded_at desc limit 200
        ) as k
    ),
    term as materialized (
        select t.place, t.term, s.share
        from unnest(p_terms) with ordinality as t (term, place)
        cross join lateral (select avg((n.tsv @@ t.term)::integer) as share from newest as n) as s
    )
    select array_agg(t.place order by t.share desc, t.place) into v_common
    from term as t
    where t.share > 0.1 or p_bound < (
        select count(*)
        from (select from memhouse.admissible_knowledge as k
              where k.tsv @@ memhouse.matching_terms(t.term, p_request.within)
                and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, v_filters)
              limit p_bound + 1) as bounded);
    return case when cardinality(v_common) = cardinality(p_terms) then trim_array(v_common, 1) else coalesce(v_common, '{}') end;
end
$$;
alter function memhouse._common_terms(memhouse.request, tsquery[], integer) owner to memhouse_strategy;
comment on function memhouse._common_terms(memhouse.request, tsquery[], integer) is
'Places of the terms that are in more than p_bound of the admitted statements, but for the rarest when all are. Private to the lexical strategy.';
