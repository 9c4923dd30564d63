-- The row that already holds a source key, among the scopes this posture may write: one that it can see, or that its
-- own credential wrote. A row that another wrote and that is hidden from this posture does not count: the answer must
-- be the same as if it did not exist, and the key is free.
-- offset 0 keeps the conditions out of the look-up: it goes by the key, and not through all that the scopes hold.
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
            select f.id
            from (select o.observation_id as id, o.scope_id, o.written_by from memhouse.observation as o
                  where o.account_id = v_reader.account_id and o.source_key = p_source_key
                  offset 0) as f
            where f.scope_id = any (v_reader.write_scopes)
              and memhouse._may_cite(f.scope_id, f.written_by, memhouse._sees_observation(f.id))
            order by f.id limit 1)
        when 'knowledge' then (
            select f.id
            from (select k.knowledge_id as id, k.scope_id, k.written_by from memhouse.knowledge as k
                  where k.account_id = v_reader.account_id and k.source_key = p_source_key
                  offset 0) as f
            where f.scope_id = any (v_reader.write_scopes)
              and memhouse._may_cite(f.scope_id, f.written_by, memhouse._sees(f.id))
            order by f.id limit 1)
    end;
end
$$;
comment on function memhouse._known_source_key(text, text) is
'Id of the observation or knowledge that holds a source key in a writable scope, if this posture may know of it. Private.';
