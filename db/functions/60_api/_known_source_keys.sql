-- The rows that already hold one of some source keys, among the scopes this posture may write: those that it can see, or
-- that its own credential wrote. A row that another wrote and that is hidden from this posture does not count: the
-- answer must be the same as if it did not exist, and the key is free.
-- offset 0 keeps the conditions out of the look-up: it goes by the key, and not through all that the scopes hold.
-- Output: one row a key that is taken, the oldest. Definer because a row of one's own may be one that the reader policy hides.
create or replace function memhouse._known_source_keys(p_kind text, p_source_keys text[])
returns table (source_key text, id uuid)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    if p_kind = 'observation' then
        return query
        select distinct on (f.source_key) f.source_key, f.id
        from (select o.source_key, o.observation_id as id, o.scope_id, o.written_by
              from unnest(p_source_keys) as n (name)
              join memhouse.observation as o on o.account_id = v_reader.account_id and o.source_key = n.name
              offset 0) as f
        where f.scope_id = any (v_reader.write_scopes)
          and (f.written_by = v_reader.credential_id or memhouse._may_cite(f.scope_id, f.written_by, memhouse._sees_observation(f.id)))
        order by f.source_key, f.id;
    else
        return query
        select distinct on (f.source_key) f.source_key, f.id
        from (select k.source_key, k.knowledge_id as id, k.scope_id, k.written_by
              from unnest(p_source_keys) as n (name)
              join memhouse.knowledge as k on k.account_id = v_reader.account_id and k.source_key = n.name
              offset 0) as f
        where f.scope_id = any (v_reader.write_scopes)
          and (f.written_by = v_reader.credential_id or memhouse._may_cite(f.scope_id, f.written_by, memhouse._sees(f.id)))
        order by f.source_key, f.id;
    end if;
end
$$;
comment on function memhouse._known_source_keys(text, text[]) is
'Source keys that observations or knowledge of a writable scope hold already, with their ids, as far as this posture may know of them. Private.';
