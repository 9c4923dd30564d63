-- Whether this write posture may store vectors of a statement: it sees it, in a scope it may write. Hidden and absent take the
-- same time (_admits_statement). Definer because row security would do its work only for a row that is there.
create or replace function memhouse._storable(p_id uuid)
returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_row memhouse.knowledge;
begin
    select k.* into v_row from memhouse.knowledge as k where k.account_id = v_reader.account_id and k.knowledge_id = p_id;
    return memhouse._admits_statement(v_reader, v_row) and v_row.scope_id = any (v_reader.write_scopes);
end
$$;
comment on function memhouse._storable(uuid) is 'Whether this posture may store vectors of a statement. Private to store_embedding and store_token_vectors.';
