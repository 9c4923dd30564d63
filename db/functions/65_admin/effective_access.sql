-- What a credential can see, scope by scope, and through which grant: for each class of statement the highest
-- sensitivity that admits lets through, found by asking it.
-- For administrators. Definer because grants are the owner's.
create or replace function memhouse.effective_access(p_account text, p_credential text, p_peer_key text default null)
returns table (scope text, role text, through text, about_others text, about_reader text, shared text)
language plpgsql stable security definer rows 20
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._credential(memhouse._account_id(p_account), p_credential);
    v_reader memhouse.reader := memhouse._reader_of(v_credential, p_peer_key, null, null, false);
begin
    return query
    select s.scope_key, g.role, g.through,
        -- Somebody else: the nil uuid is nobody's id, so it is never the reader's.
        v.highest[1], case when v_reader.peer_id is not null then v.highest[2] end, v.highest[3]
    from memhouse.scope as s
    cross join lateral (
        select case when bool_or(h.effect = 'deny') then 'denied' else max(h.role)::text end as role,
            string_agg(h.effect || ' on ' || a.scope_key, ', ' order by a.scope_key, h.effect) as through
        from memhouse.scope_grant as h
        join memhouse.scope as a on a.account_id = h.account_id and a.scope_id = h.scope_id
        where h.account_id = s.account_id and h.credential_id = v_credential.credential_id and h.scope_id = any (s.path)
    ) as g
    cross join lateral (
        select array_agg(c.highest order by c.place) as highest
        from (
            select q.place, max(l.sensitivity)::text as highest
            from (values (1, '00000000-0000-0000-0000-000000000000'::uuid, 'peer'::memhouse.target_level),
                         (2, v_reader.peer_id, 'peer'), (3, null, 'scope')) as q (place, subject, level)
            left join unnest(enum_range(null::memhouse.sensitivity)) as l (sensitivity) on memhouse.admits(
                s.account_id, s.scope_id, q.subject, l.sensitivity, q.level,
                'active', tstzmultirange(tstzrange(null, null)), '{}', null,
                v_reader.account_id, v_reader.scopes, v_reader.clearance, v_reader.peer_id,
                memhouse._open_sensitivity(v_reader.posture), v_reader.posture = 'peer', 'infinity')
            group by q.place
        ) as c
    ) as v
    where s.account_id = v_credential.account_id and g.through is not null
    order by s.scope_key;
end
$$;
comment on function memhouse.effective_access(text, text, text) is
'What a credential reaches, one row a scope it has a grant on or above (p_peer_key: read for that peer, null its own): its role there (or denied), through which grants, and the highest sensitivity it sees of statements about others, about the reader, and shared ones (about the scope or promoted); null is nothing. For administrators. Errors: MH003, MH006, MH018.';
