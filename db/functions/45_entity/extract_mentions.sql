-- The names a statement mentions, by a reviewed set of rules. No model, no list of names:
--   identifiers     billing/reconcile.py, user_id, ACME-142, v2.1, a@b.example, CamelCase        confidence 0.9
--   quoted titles   "The Long Night"                                                             confidence 0.8
--   proper names    runs of capitalised words, joined by of, the, de, von, van, &                 confidence 1.0
--                   the same at the start of a sentence and one word long (sentence_initial)      confidence 0.5
-- Rejected: closed-class words (the stop words of the english configuration), sentence artefacts (greetings, answers
-- and the like), days and months, timezone abbreviations, and a leading "[date]" or "Speaker:" is read as text.
create or replace function memhouse.extract_mentions(p_text text)
returns table (name_key text, confidence real, sentence_initial boolean)
language plpgsql immutable parallel safe rows 5
set search_path = pg_catalog, pg_temp
as $$
begin
    return query
    with found as (
        select m.match[1] as name, 0.9::real as confidence, false as initial
        from regexp_matches(p_text, '((?:[A-Za-z0-9]+[_/.@#-])+[A-Za-z0-9]+|[a-z]+[A-Z][A-Za-z0-9]*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,}[0-9]*)', 'g') as m (match)
        -- Numbers with points, dates and hyphenated prose are no identifiers.
        where m.match[1] ~ '[A-Za-z]' and (m.match[1] !~ '^[a-z]+(-[a-z]+)+$' and m.match[1] !~ '^[A-Z]?[a-z]+[.][A-Z]?[a-z]+$')
        union all
        select m.match[1], 0.8, false from regexp_matches(p_text, '["“]([^"”]{3,60})["”]', 'g') as m (match)
        union all
        select m.match[2], case when m.match[1] ~ '^$|[.!?:\]]\s*$' and m.match[2] !~ '\s' then 0.5 else 1.0 end::real,
            m.match[1] ~ '^$|[.!?:\]]\s*$' and m.match[2] !~ '\s'
        from regexp_matches(p_text,
            '(^|[.!?:\]]\s+|[^[:alnum:]_./@#-])([A-Z][[:alpha:]''’]+(?:\s+(?:(?:of|the|de|von|van|&)\s+)?[A-Z][[:alpha:]''’]+){0,4})(?![[:alnum:]_]|[/.@#-][[:alnum:]])', 'g') as m (match)
    ),
    keyed as (
        select memhouse.entity_key(btrim(f.name)) as key, f.confidence, f.initial from found as f
    )
    select k.key, max(k.confidence), bool_and(k.initial)
    from keyed as k
    where char_length(k.key) between 2 and 100
      and k.key <> all (memhouse.no_entities())
      and (k.key ~ '\s' or to_tsvector('pg_catalog.english', k.key) <> ''::tsvector)
    group by k.key;
end
$$;
comment on function memhouse.extract_mentions(text) is
'Names that a text mentions, as entity keys with confidence 0 to 1: identifiers .9, quoted titles .8, proper names 1, a single capitalised word that opens a sentence .5 (sentence_initial). Closed-class words, sentence artefacts, days, months and timezone abbreviations are rejected.';
