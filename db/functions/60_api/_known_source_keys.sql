-- The rows that already hold one of some source keys, among the scopes this posture may write: those that it can see, or
-- that its own credential wrote. A row that another wrote and that is hidden from this posture does not count: the
-- answer must be the same as if it did not exist, and the key is free.
-- Each key is looked up by itself: lateral and offset 0 keep joins and conditions out of it, and a plan that is made without
-- looking at the account keeps to the index of keys. Of an account that is being filled the statistics know nothing yet, and
-- a plan made for it would go through all it holds for every key, expecting a row or none.
-- Output: one row a key that is taken, the oldest. Definer because a row of one's own may be one that the reader policy hides.
create or replace function memhouse._known_source_keys(p_kind text, p_source_keys text[])
returns table (source_key text, id uuid)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_curated constant uuid[] := memhouse._curated_scopes(v_reader);
begin
    if p_kind = 'observation' then
        return query
        select distinct on (n.name) n.name, f.id
        from unnest(p_source_keys) as n (name)
        cross join lateral (
            select o.observation_id as id, o.scope_id,
                memhouse._may_cite(v_reader, v_curated, o.scope_id, o.written_by, memhouse._admits_observation(v_reader, o)) as known
            from memhouse.observation as o
            where o.account_id = v_reader.account_id and o.source_key = n.name
            offset 0) as f
        where f.known and f.scope_id = any (v_reader.write_scopes)
        order by n.name, f.id;
    else
        return query
        select distinct on (n.name) n.name, f.id
        from unnest(p_source_keys) as n (name)
        cross join lateral (
            select k.knowledge_id as id, k.scope_id,
                memhouse._may_cite(v_reader, v_curated, k.scope_id, k.written_by, memhouse._admits_statement(v_reader, k)) as known
            from memhouse.knowledge as k
            where k.account_id = v_reader.account_id and k.source_key = n.name
            offset 0) as f
        where f.known and f.scope_id = any (v_reader.write_scopes)
        order by n.name, f.id;
    end if;
end
$$;
comment on function memhouse._known_source_keys(text, text[]) is
'Source keys that observations or knowledge of a writable scope hold already, with their ids, as far as this posture may know of them. Private.';
