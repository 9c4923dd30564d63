-- The audiences whose statements this reader may be shown: per scope and sensitivity within its clearance, the shared one if
-- the posture is shown any of it, and its peer's own; those of the past only for a read of the past. For server-side work,
-- all there are in the account. Wider than admission where they differ:
-- memhouse.admits decides. With them an index leads searches, and an analyst's own selects, past what is other people's.
-- Definer because what there is in the account is the owner's to read.
-- Planned once: strategies ask for custom plans, and that would reach in here too.
create or replace function memhouse.reader_audiences()
returns bigint[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
set plan_cache_mode = force_generic_plan
as $$
declare
    v_reader memhouse.reader := memhouse._posture();
begin
    if v_reader.posture = 'internal' then
        return memhouse._account_audiences(v_reader.account_id);
    end if;
    return array(
        select a.audience
        from unnest(v_reader.scopes) as s (scope_id)
        cross join unnest(enum_range(null, v_reader.clearance)) as v (sensitivity)
        cross join (select null::uuid as private_to union all select v_reader.peer_id where v_reader.peer_id is not null) as p
        cross join (select false as past union all select true where v_reader.known_at is not null) as t
        cross join lateral memhouse._audience(s.scope_id, p.private_to, v.sensitivity, t.past) as a (audience)
        -- Most are empty. Every strategy looks each of them up, for every word and name.
        cross join lateral (
            select from memhouse.knowledge as k where k.account_id = v_reader.account_id and k.audience = a.audience limit 1) as k
        where p.private_to is not null or v_reader.posture = 'peer' or v.sensitivity <= memhouse._open_sensitivity(v_reader.posture));
end
$$;
comment on function memhouse.reader_audiences() is 'The audiences whose statements this reader may be shown, as far as there is anything in them; for server-side work all of its account, none when nothing was begun.';
