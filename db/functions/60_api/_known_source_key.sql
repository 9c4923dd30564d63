-- The row that already holds a source key, among the scopes this posture may write: one that it can see, or that its
-- own credential wrote. A row that another wrote and that is hidden from this posture does not count: the answer must
-- be the same as if it did not exist, and the key is free.
-- Definer because a row of one's own may be one that the reader policy hides.
create or replace function memhouse._known_source_key(p_kind text, p_source_key text)
returns uuid
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    return case p_kind
        when 'observation' then (
            select o.observation_id from memhouse.observation as o
            where o.account_id = v_reader.account_id and o.source_key = p_source_key and o.scope_id = any (v_reader.write_scopes)
              and memhouse._may_cite(o.scope_id, o.written_by, memhouse._sees_observation(o.observation_id))
            order by o.observation_id limit 1)
        when 'knowledge' then (
            select k.knowledge_id from memhouse.knowledge as k
            where k.account_id = v_reader.account_id and k.source_key = p_source_key and k.scope_id = any (v_reader.write_scopes)
              and memhouse._may_cite(k.scope_id, k.written_by, memhouse._sees(k.knowledge_id))
            order by k.knowledge_id limit 1)
    end;
end
$$;
comment on function memhouse._known_source_key(text, text) is
'Id of the observation or knowledge that holds a source key in a writable scope, if this posture may know of it. Private.';
