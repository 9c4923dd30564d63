-- The folder of a model that the operator allows inside the server; null when there is none of that kind (for an
-- embedder: of that identity). Paths come from these two tables and from nowhere else.
-- Definer because both tables are the owner's.
create or replace function memhouse._allowed_model(p_kind text, p_identity_id integer default null)
returns text
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select h.models || '/' || m.model_name
    from memhouse.model as m, memhouse.model_host as h
    where m.kind = p_kind and m.identity_id is not distinct from p_identity_id;
end;
comment on function memhouse._allowed_model(text, integer) is 'Folder of the allowed model of a kind, or null. Private.';
