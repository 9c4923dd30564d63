-- The work list of late interaction: statements this posture can read that have no token vectors yet, in id order.
-- Definer because _lacking is the API's.
create or replace function memhouse.without_token_vectors(p_model text, p_limit integer default 100, p_after uuid default null)
returns table (id uuid, statement text)
language sql stable security definer rows 100
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
begin atomic
    select l.id, l.statement from memhouse._lacking(null, p_model, p_limit, p_after) as l;
end;
alter function memhouse.without_token_vectors(text, integer, uuid) owner to memhouse_api;
comment on function memhouse.without_token_vectors(text, integer, uuid) is
'Statements visible to this posture that have no token vectors of p_model, in id order after p_after; at most p_limit (1 to 10000, default 100). Errors: MH001, MH010.';
