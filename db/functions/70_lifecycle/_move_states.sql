-- The only way a state changes. Statements of one account move to a state: along edges of the graph or not at all,
-- with their belief time closed and opened at the instant, an entry in their history and one in the audit log.
--
-- The instant is the start of the transaction, so that all it does is believed from one moment on; for a date it is
-- the date, however late the sweep. But never before the last change: a transaction that waited for a lock, or a clock
-- that was set back, would otherwise rewrite what was believed in between. Two changes of one instant leave an empty
-- range, which is none: the state between them was never believed.
--
-- A statement that is accepted (from proposed, provisional or held to active) then does to others what its relations
-- say. Returns how many moved. Error: MH016. Definer because states are changed here and nowhere else.
create or replace function memhouse._move_states(
    p_account_id uuid, p_ids uuid[], p_state memhouse.lifecycle_state, p_reason text
)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_refused memhouse.lifecycle_state;
    v_moved integer;
    v_froms memhouse.lifecycle_state[];
    v_accepted uuid;
begin
    -- In id order, so that two calls cannot wait for one another.
    perform from memhouse.knowledge as k
    where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
    order by k.knowledge_id
    for no key update;

    select k.lifecycle_state into v_refused
    from memhouse.knowledge as k
    where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
      and not exists (select from memhouse.lifecycle_edge as e where e.from_state = k.lifecycle_state and e.to_state = p_state)
    limit 1;
    if found then
        perform memhouse._fail('MH016', format('It is %s, and from there to %s there is no way; there is to: %s.', v_refused, p_state,
            coalesce((select string_agg(e.to_state::text, ', ' order by e.to_state) from memhouse.lifecycle_edge as e
                      where e.from_state = v_refused), 'none')));
    end if;

    with step as (
        select k.knowledge_id, k.lifecycle_state as from_state, i.instant,
            tstzmultirange(tstzrange(null, i.instant)) as before, tstzmultirange(tstzrange(i.instant, null)) as since
        from memhouse.knowledge as k
        cross join lateral (select greatest(k.state_since, case p_state
            when 'expired' then least(k.expires_at, now())
            when 'needs_revalidation' then least(k.revalidate_at, now())
            else now()
        end) as instant) as i
        where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
    ), moved as (
        update memhouse.knowledge as k
        set lifecycle_state = p_state,
            state_since = s.instant,
            active_during = k.active_during * s.before + case p_state when 'active' then s.since else '{}' end,
            provisional_during = k.provisional_during * s.before + case p_state when 'provisional' then s.since else '{}' end,
            -- A date that has done its work must not cut off what is believed anew.
            revalidate_at = case when p_state = 'active' and k.revalidate_at <= s.instant then null else k.revalidate_at end
        from step as s
        where k.account_id = p_account_id and k.knowledge_id = s.knowledge_id
        returning k.knowledge_id, s.from_state, s.instant
    ), recorded as (
        insert into memhouse.lifecycle_change (
            account_id, change_id, knowledge_id, from_state, to_state, effective_at, changed_by, db_role, reason)
        select p_account_id, memhouse.uuid_v7(), m.knowledge_id, m.from_state, p_state, m.instant,
            r.credential_id, coalesce(nullif(current_setting('role'), 'none'), session_user), p_reason
        from moved as m
        cross join (select (memhouse._reader()).credential_id) as r
    )
    select count(*), array_agg(distinct m.from_state) into v_moved, v_froms from moved as m;

    if v_moved > 0 then
        perform memhouse._audit(p_account_id, 'transition', case when cardinality(p_ids) = 1 then p_ids[1] end,
            jsonb_build_object('from', v_froms, 'to', p_state, 'rows', v_moved));
    end if;
    if p_state = 'active' and v_froms && '{proposed,provisional,held}' then
        foreach v_accepted in array p_ids loop
            perform memhouse._imply_states(p_account_id, v_accepted);
        end loop;
    end if;
    return v_moved;
end
$$;
comment on function memhouse._move_states(uuid, uuid[], memhouse.lifecycle_state, text) is
'Moves statements of an account to a state, with belief time, history and audit; returns how many. MH016 where the graph has no edge. Private.';
