-- Statements in the order of a reranker, inside the server. Ids that this reader may not see give no row, like ids
-- that do not exist. They have no score of a search, so a cascade goes by its models alone. What a failing model says,
-- paths of the server included, goes to the server's log and not to the caller. Definer because it reads as
-- memhouse_api. Errors: MH001, MH010, MH025.
create or replace function memhouse.rerank(p_query text, p_ids uuid[], p_kind text default 'cascade', p_ms integer default 1000)
returns table (id uuid, score double precision)
language plpgsql stable parallel unsafe security definer rows 50
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
set client_min_messages = error
as $$
declare
    v_ids uuid[];
    v_scores double precision[];
begin
    perform memhouse._require_reader();
    perform memhouse._one_of(p_kind, array['cross_encoder', 'late_interaction', 'cascade'], 'p_kind');
    if cardinality(p_ids) > 100 then
        perform memhouse._fail('MH010', format('p_ids holds %s ids; it may hold 100.', cardinality(p_ids)));
    elsif p_ms is null or p_ms not between 1 and memhouse._setting_int('max_deadline_ms') then
        perform memhouse._fail('MH010', format('p_ms is %s; it must be 1 to %s.', coalesce(p_ms::text, 'null'), memhouse._setting_int('max_deadline_ms')));
    elsif memhouse._allowed_reranker(p_kind) is null then
        perform memhouse._fail('MH025', format('The models of %s may not run here; see allow_model.', p_kind));
    end if;
    select array_agg(k.id order by array_position(p_ids, k.id)) into v_ids
    from unnest(memhouse._visible_ids(p_ids)) as k (id);
    v_scores := memhouse._rerank_scores(
        memhouse._checked_text(p_query, 'p_query', memhouse._setting_int('max_query_chars')), v_ids, null, p_kind, clock_timestamp() + p_ms * interval '1 ms');
    return query
    select v_ids[s.place], s.score from unnest(v_scores) with ordinality as s (score, place) order by s.score desc, s.place;
exception
    when external_routine_exception then
        raise log 'memhouse: reranking failed with %: %', sqlstate, sqlerrm;
        perform memhouse._fail('MH025', 'The model failed; the server''s log says how.');
end
$$;
alter function memhouse.rerank(text, uuid[], text, integer) owner to memhouse_api;
comment on function memhouse.rerank(text, uuid[], text, integer) is
'Scores at most 100 statements that this reader may see against a question by models inside the server, best first. p_kind: cross_encoder, late_interaction, or cascade: late interaction over all makes 0.3 of a score and chooses the 15 of which the cross-encoder makes the other 0.7 (of a statement longer than 128 tokens it reads the best passage, and counts for the square of that share). p_ms: what is not scored by then is left out, from the end of p_ids. Errors: MH001, MH010, MH025.';
