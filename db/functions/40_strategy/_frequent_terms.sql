-- Which terms of a query (their places in p_terms, the rarest last) stand in so many of the newest admitted statements that
-- common_rows of the exact_scan_rows that there are at least will have them: no use to scan for those. The newest are two
-- hundred of each audience; fewer for a reader of many, so that twenty thousand are looked at in all.
-- Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse._frequent_terms(p_request memhouse.request, p_terms tsquery[])
returns integer[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
-- From the newest row of an audience on: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_account constant uuid := p_request.account_id;
    v_audiences constant bigint[] := p_request.audiences;
    v_share constant double precision := memhouse._setting_int('common_rows')::double precision
        / greatest(memhouse._setting_int('exact_scan_rows'), 1);
    v_each constant bigint := greatest(least(200, 20000 / greatest(cardinality(v_audiences), 1)), 1);
begin
    return (
        with newest as materialized (
            select k.tsv
            from unnest(v_audiences) as a (audience)
            cross join lateral (
                select n.tsv from memhouse.admissible_knowledge as n
                where n.account_id = v_account and n.audience = a.audience
                order by n.knowledge_id desc limit v_each
            ) as k
        )
        select coalesce(array_agg(t.place order by s.share desc, t.place), '{}')
        from unnest(p_terms) with ordinality as t (term, place)
        cross join lateral (select avg((n.tsv @@ t.term)::integer) as share from newest as n) as s
        where s.share > v_share);
end
$$;
alter function memhouse._frequent_terms(memhouse.request, tsquery[]) owner to memhouse_strategy;
comment on function memhouse._frequent_terms(memhouse.request, tsquery[]) is
'Places of the terms in more of the newest admitted statements than the share common_rows / exact_scan_rows, the rarest last. Private to the lexical strategy.';
