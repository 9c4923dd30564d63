-- The same read as search, with its diagnostics: which strategies contributed, found nothing or were dropped, and why.
-- Definer because _retrieve is private to memhouse_api.
create or replace function memhouse.search_report(
    p_query text, p_embedding @extschema:vector@.vector default null, p_profile text default null, p_limit integer default 12,
    p_as_of timestamptz default null, p_filters jsonb default '{}', p_deadline_ms integer default null,
    p_identity text default null
)
returns jsonb
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
return memhouse._report(memhouse._retrieve(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity));
alter function memhouse.search_report(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) owner to memhouse_api;
comment on function memhouse.search_report(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) is
'The same read as search, as JSON: candidates (the hits), reader_posture, profile, profile_version, strategies (contributed, empty, dropped, not_applicable: name, reason_class, ms, candidates), retrieval_outcomes, disagreement, analyzer_version, terms_ignored, deadline_ms, elapsed_ms, reserved_rerank_ms, rerank (head, weight and kind of the profile; outcome, reason_class, model, scored, ms; more: hits beyond the page, for a client that reranks what the server did not). Arguments and errors as search.';
