-- A read with parts of its profile replaced, for evaluation. Only memhouse_internal may execute it: external callers
-- cannot choose strategies. Definer because _retrieve is private to memhouse_api.
create or replace function memhouse.search_report_with(
    p_override jsonb, p_query text, p_embedding @extschema:vector@.vector default null, p_profile text default null, p_limit integer default 12,
    p_as_of timestamptz default null, p_filters jsonb default '{}', p_deadline_ms integer default null,
    p_identity text default null
)
returns jsonb
language sql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
return memhouse._report(memhouse._retrieve(p_query, p_embedding, p_profile, p_limit, p_as_of, p_filters, p_deadline_ms, p_identity, p_override));
alter function memhouse.search_report_with(jsonb, text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) owner to memhouse_api;
comment on function memhouse.search_report_with(jsonb, text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) is
'search_report with p_override (as the p_config of set_profile) over the profile, for evaluation by memhouse_internal. Errors: those of search, and MH020.';
