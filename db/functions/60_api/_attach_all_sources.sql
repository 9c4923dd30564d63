-- Links statements to their observations, p_knowledge_ids[i] to p_sources[i]; these must be in scopes this posture may
-- write, and be visible to it, or written by its credential, or of a scope it curates. Hidden and absent are answered
-- alike. Error: MH015.
-- Definer because a member may cite an observation it wrote that the reader policy hides from it.
create or replace function memhouse._attach_all_sources(p_knowledge_ids uuid[], p_sources uuid[])
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_curated constant uuid[] := memhouse._curated_scopes(v_reader);
    v_missing uuid;
begin
    select s.id into v_missing
    from (select distinct id from unnest(p_sources) as u (id)) as s
    -- offset 0 keeps the conditions out of the look-up: it goes by the key, and not through all that the scopes hold.
    left join lateral (
        select o.scope_id,
            memhouse._may_cite(v_reader, v_curated, o.scope_id, o.written_by, memhouse._admits_observation(v_reader, o)) as known
        from memhouse.observation as o
        where o.account_id = v_reader.account_id and o.observation_id = s.id
        offset 0
    ) as o on true
    where (o.known and o.scope_id = any (v_reader.write_scopes)) is not true
    limit 1;
    if found then
        perform memhouse._fail('MH015', format('There is no source %s.', coalesce(v_missing::text, 'null')));
    end if;
    insert into memhouse.knowledge_source (account_id, knowledge_id, observation_id)
    select distinct v_reader.account_id, s.knowledge_id, s.id from unnest(p_knowledge_ids, p_sources) as s (knowledge_id, id);
end
$$;
comment on function memhouse._attach_all_sources(uuid[], uuid[]) is
'Links statements to their observations, pair by pair; MH015 for one that is not in a writable scope. Private.';
