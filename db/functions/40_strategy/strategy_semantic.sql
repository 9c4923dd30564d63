-- Vector candidates within one embedding identity: 1 - cosine distance.
-- Two ways to the same list. Up to exact_scan_rows eligible statements, all of them are compared (_nearest_exact).
-- Above that, the identity's HNSW index is scanned (_nearest_by_index); if it finds too few, because the neighbourhood
-- is mostly of rows this reader may not see, everything is compared after all: a page is never under-filled.
-- The choice rests on the count of what the reader may see, and detail says which way was chosen. That the index found too
-- few is not said: it would tell of what is not the reader's.
-- Output: at most p_limit rows, best first. Definer because its two ways are private to memhouse_strategy.
create or replace function memhouse.strategy_semantic(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
as $$
declare
    v_candidates memhouse.candidate[];
begin
    if p_request.eligible > memhouse._setting_int('exact_scan_rows') then
        v_candidates := array(select c from memhouse._nearest_by_index(p_request, p_limit) as c);
        if cardinality(v_candidates) < p_limit then
            v_candidates := array(select c from memhouse._nearest_exact(p_request, p_limit) as c);
        end if;
        return query select c.id, c.score, '{"scan": "hnsw"}'::jsonb from unnest(v_candidates) as c;
    else
        return query select c.id, c.score, '{"scan": "exact"}'::jsonb from memhouse._nearest_exact(p_request, p_limit) as c;
    end if;
end
$$;
alter function memhouse.strategy_semantic(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_semantic(memhouse.request, integer) is
'Vector candidates: 1 - cosine distance within the account''s embedding identity; exact up to exact_scan_rows eligible rows, by HNSW with iterative scan above, and exact after all when that finds too few.';
