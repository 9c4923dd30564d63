-- Entities by name with their weight for this reader: idf = ln(1 + N / df), N and df counted over admitted statements
-- only (both up to exact_scan_rows, where counting stops), so a hidden statement changes no score.
-- Left out are those in more than entity_ceiling_percent of the admitted statements; in a corpus of fewer than twenty
-- nothing is called ubiquitous. Definer because only memhouse_strategy may read the admissible views.
create or replace function memhouse._rare_entities(p_names text[])
returns table (name_key text, idf double precision)
language plpgsql stable parallel restricted security definer rows 5
set search_path = pg_catalog, pg_temp
-- Look-ups by key have one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_account uuid := memhouse.reader_account();
    v_cap integer := memhouse._setting_int('exact_scan_rows');
    v_names text[];
    v_df integer[];
    v_admitted integer;
begin
    select array_agg(n.name), array_agg(f.df) into v_names, v_df
    from unnest(p_names) as n (name)
    cross join lateral (
        select count(*) as df
        from (select from memhouse.admissible_mention as m
              where m.account_id = v_account and m.name_key = n.name limit v_cap) as bounded
    ) as f
    where f.df > 0;
    -- Most questions name nothing that is known: then there is nothing to weigh.
    if v_names is not null then
        v_admitted := memhouse.eligible_rows(null, v_cap);
        return query
        select f.name, ln(1 + v_admitted::double precision / f.df)
        from unnest(v_names, v_df) as f (name, df)
        where f.df <= greatest(v_admitted * memhouse._setting_int('entity_ceiling_percent') / 100.0, 5);
    end if;
end
$$;
alter function memhouse._rare_entities(text[]) owner to memhouse_strategy;
comment on function memhouse._rare_entities(text[]) is
'The telling entities among some names, with idf = ln(1 + N / df) over admitted statements. Private to the strategies.';
