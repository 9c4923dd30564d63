-- What the strategies thought of the query before fusion: fusion always emits a ranking, even from lists that are
-- all bad, so a fused score cannot say "nothing was found".
-- top_overlap: mean Jaccard overlap of the first ten ids over all pairs of lists that have any; null below two lists.
-- plpgsql: it keeps its plan between calls; before PostgreSQL 18 a function in SQL that cannot be inlined is planned at each.
create or replace function memhouse.disagreement(p_parts memhouse.part[])
returns jsonb
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        with heads as (
            select (p.outcome).strategy, array(select c.id from unnest(p.list[:10]) as c) as ids
            from unnest(p_parts) as p
            where p.list is not null
        ),
        pairs as (
            select (select count(*) from unnest(a.ids) as i (id) where i.id = any (b.ids))::double precision as shared,
                cardinality(a.ids) + cardinality(b.ids) as total
            from heads as a join heads as b on a.strategy < b.strategy
        )
        select jsonb_build_object(
            'query_dependent_empty', coalesce((
                select bool_and((p.outcome).outcome = 'empty')
                from unnest(p_parts) as p
                join memhouse.strategy as s on s.name = (p.outcome).strategy
                where s.reads_query and (p.outcome).outcome in ('contributed', 'empty')), false),
            'top_overlap', (select round(avg(p.shared / (p.total - p.shared))::numeric, 4) from pairs as p))
    );
end
$$;
comment on function memhouse.disagreement(memhouse.part[]) is
'How the strategies differ before fusion: query_dependent_empty (every strategy that read the query and ran found nothing) and top_overlap (mean Jaccard overlap of the first ten ids, 0 to 1).';
