-- Entities by name with their weight for this reader: idf = ln(1 + N / df), both counted over the reader's audiences, so a
-- hidden statement changes no score; what is due to expire and not swept yet counts. Left out are names in more
-- than entity_ceiling_percent of the statements, or in more than common_rows; in a corpus of fewer than twenty nothing is called
-- ubiquitous. Counting stops where it can no longer matter.
-- Definer because it reads as memhouse_gate, beside the view: counts come from the indexes alone, and admission needs more
-- than they hold. It tells how often, and of names that the caller brings.
create or replace function memhouse._rare_entities(p_names text[], p_audiences bigint[])
returns table (name_key text, idf double precision)
language plpgsql stable parallel restricted security definer rows 5
set search_path = pg_catalog, pg_temp
-- Look-ups by key have one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_account uuid := memhouse.reader_account();
    v_percent integer := memhouse._setting_int('entity_ceiling_percent');
    v_common integer := memhouse._setting_int('common_rows');
    v_statements integer := memhouse._audience_rows(p_audiences, v_common * 100 / greatest(v_percent, 1));
    v_ceiling integer := least(greatest(v_statements * v_percent / 100, 5), v_common);
begin
    return query
    select n.name, ln(1 + v_statements::double precision / f.df)
    from unnest(p_names) as n (name)
    cross join lateral (
        select count(*) as df
        from (select from memhouse.entity_mention as m
              where m.account_id = v_account and m.name_key = n.name and m.audience = any (p_audiences) limit v_ceiling + 1) as bounded
    ) as f
    where f.df between 1 and v_ceiling;
end
$$;
alter function memhouse._rare_entities(text[], bigint[]) owner to memhouse_gate;
comment on function memhouse._rare_entities(text[], bigint[]) is
'The telling entities among some names, with idf = ln(1 + N / df) over the statements in the reader''s audiences. Private to the strategies.';
