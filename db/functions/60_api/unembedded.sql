-- The work list of an embedder: statements this posture can read that have no vector yet, in id order.
-- Definer because _lacking is the API's.
create or replace function memhouse.unembedded(p_identity text default null, p_limit integer default 100, p_after uuid default null)
returns table (id uuid, statement text)
language plpgsql stable security definer rows 100
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
begin
    -- Before anything is said about the identity.
    perform memhouse._require_reader();
    return query select l.id, l.statement from memhouse._lacking((memhouse._stored_identity(p_identity)).identity_id, null, p_limit, p_after) as l;
end
$$;
alter function memhouse.unembedded(text, integer, uuid) owner to memhouse_api;
comment on function memhouse.unembedded(text, integer, uuid) is
'Statements visible to this posture that have no vector of the account''s identity, in id order after p_after; at most p_limit (1 to 10000, default 100). Errors: MH001, MH010, MH013.';
