-- All names a query could be naming: its runs of one to four words, as keys. Bounded to the first 64 words.
-- Planned once: strategies ask for custom plans, and that would reach the queries in here too.
create or replace function memhouse.entity_keys(p_text text)
returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_words text[] := array(
        select btrim(w.word, './-''')
        from regexp_split_to_table(memhouse.entity_key(p_text), '[^[:alnum:]_./@#''-]+') with ordinality as w (word, place)
        where btrim(w.word, './-''') <> '' order by w.place limit 64);
begin
    return array(
        select distinct array_to_string(v_words[i:i + n], ' ')
        from generate_subscripts(v_words, 1) as i
        cross join generate_series(0, 3) as n
        where i + n <= cardinality(v_words));
end
$$;
comment on function memhouse.entity_keys(text) is 'The runs of one to four words of a text, as entity keys; the first 64 words count.';
