-- The audiences whose statements a posture may be shown: per scope and sensitivity within its clearance, the shared one
-- if the posture is shown any of it, and its peer's own; those of the past only for a read of the past. Null is all, for
-- server-side work. Wider than admission where they differ: memhouse.admits decides.
create or replace function memhouse._audiences(p_reader memhouse.reader)
returns bigint[]
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
-- Planned once: strategies ask for custom plans, and that would reach in here too.
set plan_cache_mode = force_generic_plan
as $$
begin
    if p_reader.posture = 'internal' then
        return null;
    end if;
    return array(
        select memhouse._audience(s.scope_id, p.private_to, v.sensitivity, t.past)
        from unnest(p_reader.scopes) as s (scope_id)
        cross join unnest(enum_range(null, p_reader.clearance)) as v (sensitivity)
        cross join (select null::uuid as private_to union all select p_reader.peer_id where p_reader.peer_id is not null) as p
        cross join (select false as past union all select true where p_reader.known_at is not null) as t
        where p.private_to is not null or p_reader.posture = 'peer' or v.sensitivity <= memhouse._open_sensitivity(p_reader.posture));
end
$$;
comment on function memhouse._audiences(memhouse.reader) is 'The audiences of a posture, null for all. Private; reader_audiences shows those of this transaction.';
