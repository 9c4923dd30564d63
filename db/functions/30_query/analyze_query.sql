-- How lexical reads a query: analyzer lexical-question-v2, for English questions.
--   any        (plain text) any term may match; boilerplate is dropped unless nothing else is left
--   websearch  ("phrase", -term, or) PostgreSQL's websearch syntax, where bare terms must all match
-- Terms are bounded before a tsquery is built: one of 100,000 terms ends in "stack depth limit exceeded".
-- Definer because readers may call it, and the settings that bound it are the owner's.
-- Errors: MH011 when the text is over max_query_chars or the operators make more than twice max_query_terms nodes.
create or replace function memhouse.analyze_query(p_query text)
returns memhouse.analyzed_query
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_result memhouse.analyzed_query;
    v_max_terms integer := memhouse._setting_int('max_query_terms');
    v_kept text[];
begin
    v_result.analyzer_version := 'lexical-question-v2';
    v_result.terms_ignored := 0;
    if char_length(p_query) > memhouse._setting_int('max_query_chars') then
        perform memhouse._fail('MH011', format('The query has %s characters.', char_length(p_query)));
    end if;

    if p_query ~ '"[^"]+"|(^|\s)-["[:alnum:]]' or p_query ~* '\sor\s' then
        v_result.mode := 'websearch';
        v_result.terms := nullif(websearch_to_tsquery('pg_catalog.english', p_query)::text, '')::tsquery;
        if numnode(v_result.terms) > 2 * v_max_terms then
            perform memhouse._fail('MH011', format('The query has %s terms and operators.', numnode(v_result.terms)));
        end if;
        return v_result;
    end if;

    v_result.mode := 'any';
    select coalesce(
        array_agg(t.lexeme order by t.positions[1]) filter (where t.lexeme <> all (memhouse.question_boilerplate())),
        array_agg(t.lexeme order by t.positions[1])) into v_kept
    from unnest(to_tsvector('pg_catalog.english', p_query)) as t;
    v_result.lexemes := v_kept[:v_max_terms];
    v_result.terms_ignored := greatest(cardinality(v_kept) - v_max_terms, 0);
    select string_agg(memhouse.term_query(l.lexeme)::text, ' | ')::tsquery into v_result.terms from unnest(v_result.lexemes) as l (lexeme);
    return v_result;
end
$$;
comment on function memhouse.analyze_query(text) is
'A query as the lexical strategy reads it (analyzer lexical-question-v2): any-term matching with question boilerplate dropped, or websearch syntax when "phrase", -term or "or" is used. Error: MH011 over max_query_chars or max_query_terms.';
