-- The row that already holds a source key, for this posture: _known_source_keys of one.
-- Definer because that look-up is the owner's.
create or replace function memhouse._known_source_key(p_kind text, p_source_key text)
returns uuid
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return (select k.id from memhouse._known_source_keys(p_kind, array[p_source_key]) as k);
end
$$;
comment on function memhouse._known_source_key(text, text) is
'Id of the observation or knowledge that holds a source key in a writable scope, if this posture may know of it. Private.';
