-- What does this reader's memory say about a question? The page, in answer order; do not sort it again.
-- The read stands in a subquery of its own: handed to unnest directly, PostgreSQL 18 would do it once more while planning,
-- to see how many rows to expect.
-- Definer because _retrieve is private to memhouse_api.
create or replace function memhouse.search(
    p_query text, p_embedding @extschema:vector@.vector default null, p_profile text default null, p_limit integer default 12,
    p_as_of timestamptz default null, p_filters jsonb default '{}', p_deadline_ms integer default null,
    p_identity text default null
)
returns setof memhouse.hit
language sql stable parallel unsafe security definer rows 12
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
begin atomic
    select h.*
    from (
        select memhouse._retrieve(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity) as found
        offset 0
    ) as r
    cross join unnest((r.found).hits) as h;
end;
alter function memhouse.search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) owner to memhouse_api;
comment on function memhouse.search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) is
'Searches what the reader of this transaction may see; rows in answer order. p_query: a question, or websearch syntax ("phrase", -term, or). p_embedding: its vector, of the account''s identity (p_identity: provider:model@version#dimensions, null trusts it). p_profile: null is the default. p_limit: 1 to 100, default 12. p_as_of: valid time. p_filters: see parse_filters. p_deadline_ms: null is the profile''s; set statement_timeout to the same. An empty answer is an answer. Errors: MH001, MH008 to MH013.';
