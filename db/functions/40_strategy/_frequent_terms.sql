-- Which terms of a query (their places in p_terms) stand in so many of the newest admitted statements, two hundred of each
-- audience, that common_rows of the exact_scan_rows that there are at least will have them: no use to scan for those. When
-- all do, the rarest of them is left to be scanned.
-- Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse._frequent_terms(p_request memhouse.request, p_terms tsquery[])
returns integer[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
-- From the newest row of an audience on: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_account constant uuid := memhouse.reader_account();
    v_audiences constant bigint[] := coalesce(p_request.audiences, memhouse.reader_audiences());
    v_share constant double precision := memhouse._setting_int('common_rows')::double precision
        / greatest(memhouse._setting_int('exact_scan_rows'), 1);
    v_frequent integer[];
begin
    with newest as materialized (
        select k.tsv
        from unnest(v_audiences) as a (audience)
        cross join lateral (
            select n.tsv from memhouse.admissible_knowledge as n
            where n.account_id = v_account and n.audience = a.audience
            order by n.recorded_at desc limit 200
        ) as k
    )
    select array_agg(t.place order by s.share desc, t.place) into v_frequent
    from unnest(p_terms) with ordinality as t (term, place)
    cross join lateral (select avg((n.tsv @@ t.term)::integer) as share from newest as n) as s
    where s.share > v_share;
    return case when cardinality(v_frequent) = cardinality(p_terms) then trim_array(v_frequent, 1) else coalesce(v_frequent, '{}') end;
end
$$;
alter function memhouse._frequent_terms(memhouse.request, tsquery[]) owner to memhouse_strategy;
comment on function memhouse._frequent_terms(memhouse.request, tsquery[]) is
'Places of the terms in more of the newest admitted statements than the share common_rows / exact_scan_rows, but for the rarest when all are. Private to the lexical strategy.';
