-- Entities by name with their weight for this reader: idf = ln(1 + N / df), N and df counted over admitted statements
-- only (both up to exact_scan_rows, where counting stops), so a hidden statement changes no score.
-- Left out are those in more than entity_ceiling_percent of the admitted statements; in a corpus of fewer than twenty
-- nothing is called ubiquitous.
create or replace function memhouse._rare_entities(p_names text[], p_eligible integer)
returns table (name_key text, idf double precision)
language plpgsql stable parallel restricted security definer rows 5
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
    v_account uuid := memhouse.reader_account();
    v_cap integer := greatest(memhouse._setting_int('exact_scan_rows'), 1);
    v_ceiling double precision := greatest(p_eligible * memhouse._setting_int('entity_ceiling_percent') / 100.0, 5);
begin
    return query
    select n.name, ln(1 + greatest(p_eligible, f.df)::double precision / f.df)
    from unnest(p_names) as n (name)
    cross join lateral (
        select count(*) as df
        from (select from memhouse.admissible_mention as m
              where m.account_id = v_account and m.name_key = n.name limit v_cap) as bounded
    ) as f
    where f.df between 1 and v_ceiling;
end
$$;
alter function memhouse._rare_entities(text[], integer) owner to memhouse_strategy;
comment on function memhouse._rare_entities(text[], integer) is
'The telling entities among some names, with idf = ln(1 + N / df) over admitted statements. Private to the strategies. Definer because only the strategies may read the admissible views.';
