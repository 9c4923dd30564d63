-- Why a statement or an observation reaches a credential, or does not: each condition of admission, judged by admits
-- itself with every other condition made harmless, so there is no second definition here. The last row is the verdict
-- of admits on the whole, and the conditions must come to the same.
-- For administrators, who may know that a hidden row exists. Definer because it reads as the owner.
create or replace function memhouse.explain_admission(
    p_account text, p_credential text, p_id uuid, p_peer_key text default null
)
returns table (condition text, holds boolean, detail text)
language plpgsql stable security definer rows 8
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._credential(memhouse._account_id(p_account), p_credential);
    v_reader memhouse.reader := memhouse._reader_of(v_credential, p_peer_key, null, null, false);
    v_open memhouse.sensitivity := memhouse._open_sensitivity(v_reader.posture);
    v_shared boolean := v_reader.posture = 'peer';
    v_always constant tstzmultirange := tstzmultirange(tstzrange(null, null));
    v_row record;
    v_verdict boolean;
begin
    -- As the policies of the two tables put it to admits.
    select r.*, s.scope_key, pe.peer_key into v_row
    from (
        select k.account_id, k.scope_id, k.subject_peer_id as subject, k.sensitivity, k.target_level as level, k.lifecycle_state as state,
            memhouse.believed_during(k.active_during, k.revalidate_at) as active, k.provisional_during as provisional, k.expires_at as expires
        from memhouse.knowledge as k where k.account_id = v_credential.account_id and k.knowledge_id = p_id
        union all
        select o.account_id, o.scope_id, o.peer_id, o.sensitivity, 'peer', 'active', tstzmultirange(tstzrange(o.recorded_at, null)), '{}', null
        from memhouse.observation as o where o.account_id = v_credential.account_id and o.observation_id = p_id
    ) as r
    join memhouse.scope as s on s.account_id = r.account_id and s.scope_id = r.scope_id
    left join memhouse.peer as pe on pe.account_id = r.account_id and pe.peer_id = r.subject;
    if not found then
        perform memhouse._fail('MH015', format('The account has neither a statement nor an observation %s.', coalesce(p_id::text, 'null')));
    end if;

    return query
    select 'credential', v_credential.revoked_at is null and (v_credential.expires_at is null or v_credential.expires_at > statement_timestamp()),
        case when v_credential.revoked_at is not null then format('revoked at %s', v_credential.revoked_at)
             else coalesce('expires at ' || v_credential.expires_at, 'does not expire') end
    union all
    select c.condition, memhouse.admits(
            v_row.account_id, v_row.scope_id, c.subject, c.sensitivity, c.level, c.state, c.active, c.provisional, c.expires,
            v_row.account_id, c.scopes, c.clearance, c.peer, c.open, c.shared, 'infinity'),
        c.detail
    from (values
        ('scope', null::uuid, 'public'::memhouse.sensitivity, 'scope'::memhouse.target_level, 'active'::memhouse.lifecycle_state,
            v_always, '{}'::tstzmultirange, null::timestamptz,
            v_reader.scopes, 'restricted'::memhouse.sensitivity, null::uuid, 'restricted'::memhouse.sensitivity, true,
            format('the row is of %s', v_row.scope_key)),
        ('clearance', null, v_row.sensitivity, 'scope', 'active', v_always, '{}', null,
            array[v_row.scope_id], v_reader.clearance, null, 'restricted', true,
            format('the row is %s, the clearance %s', v_row.sensitivity, v_reader.clearance)),
        ('lifecycle', v_row.subject, 'public', 'scope', v_row.state, v_row.active, v_row.provisional, null,
            array[v_row.scope_id], 'restricted', v_reader.peer_id, 'restricted', true,
            format('the row is %s', v_row.state)),
        ('expiry', null, 'public', 'scope', 'active', v_always, '{}', v_row.expires,
            array[v_row.scope_id], 'restricted', null, 'restricted', true,
            coalesce('expires at ' || v_row.expires, 'does not expire')),
        ('reader', v_row.subject, v_row.sensitivity, v_row.level, 'active', v_always, '{}', null,
            array[v_row.scope_id], 'restricted', v_reader.peer_id, v_open, v_shared,
            format('%s, %s, at %s level; read for %s', coalesce('about ' || v_row.peer_key, 'about the scope'), v_row.sensitivity,
                v_row.level, coalesce((select p.peer_key from memhouse.peer as p
                                       where p.account_id = v_row.account_id and p.peer_id = v_reader.peer_id), 'nobody')))
    ) as c (condition, subject, sensitivity, level, state, active, provisional, expires, scopes, clearance, peer, open, shared, detail);

    v_verdict := memhouse.admits(
        v_row.account_id, v_row.scope_id, v_row.subject, v_row.sensitivity, v_row.level, v_row.state, v_row.active, v_row.provisional,
        v_row.expires, v_reader.account_id, v_reader.scopes, v_reader.clearance, v_reader.peer_id, v_open, v_shared, 'infinity');
    return query select 'admitted', v_verdict, case when v_verdict then 'admits: every condition but the credential''s own' else 'hidden' end;
end
$$;
comment on function memhouse.explain_admission(text, text, uuid, text) is
'Which conditions of admission hold for a statement or observation and a credential (p_peer_key: read for that peer, null its own): credential, scope, clearance, lifecycle, expiry, reader; then admitted, the verdict of admits on all but the credential. For administrators. Errors: MH003, MH006, MH015, MH018.';
