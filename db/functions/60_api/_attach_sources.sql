-- Links a statement to its observations, which must be in scopes this posture may write, and be visible to it, or
-- written by its credential, or of a scope it curates. Hidden and absent are answered alike. Error: MH015.
-- Definer because a member may cite an observation it wrote that the reader policy hides from it.
-- No JIT: the planner takes the look at each source for costly and would compile for 150 ms what takes 1.
create or replace function memhouse._attach_sources(p_knowledge_id uuid, p_sources uuid[])
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_missing uuid;
begin
    select s.id into v_missing
    from unnest(p_sources) as s (id)
    left join memhouse.observation as o
        on o.account_id = v_reader.account_id and o.observation_id = s.id and o.scope_id = any (v_reader.write_scopes)
            and memhouse._may_cite(o.scope_id, o.written_by, memhouse._sees_observation(o.observation_id))
    where o.observation_id is null
    limit 1;
    if found then
        perform memhouse._fail('MH015', format('There is no source %s.', coalesce(v_missing::text, 'null')));
    end if;
    insert into memhouse.knowledge_source (account_id, knowledge_id, observation_id)
    select distinct v_reader.account_id, p_knowledge_id, s.id from unnest(p_sources) as s (id);
end
$$;
comment on function memhouse._attach_sources(uuid, uuid[]) is 'Links a statement to its observations; MH015 for one that is not in a writable scope. Private to remember.';
