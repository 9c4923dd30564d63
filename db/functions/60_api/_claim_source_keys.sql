-- Waits until no other transaction is storing one of these lines under the same source key, and keeps others waiting until
-- this one has ended. The caller looks the keys up afterwards, in a statement of its own, and so finds what was stored
-- meanwhile: two credentials that import the same file at once store it once, as they would one after the other.
--
-- A wait must tell a writer no more than the row it waits for would. So a claim is one on the scope, the key and all that
-- decides who sees the line, and it is made only by a posture that would see the line, or looks after the scope as a
-- curator: it waits for rows that it will be given, and never for one that is hidden from it. For the others the key of a
-- hidden row is free, now as later (see _known_source_keys).
--
-- A claim is a row that is inserted and at once deleted: until this transaction ends, its entry in the unique index makes
-- another that inserts the same wait, and afterwards nothing is there. Not an advisory lock: one for each key of a large
-- import does not fit into the shared table of locks (max_locks_per_transaction), and one for many keys, or for a scope,
-- would have a scope filled by one writer at a time. And everybody may read in pg_locks which advisory locks are held.
-- A batch makes its claims in one order, so two batches cannot wait for each other. Two transactions of several calls that
-- store the same keys in opposite orders can, as with any unique key; PostgreSQL ends one of them.
-- At isolation level repeatable read the snapshot is older than the wait, and what was stored meanwhile is not found.
--
-- Inputs in step, a line each: observation or knowledge, source key (null claims nothing), scope, whom it is about,
-- sensitivity, level, state, expiry. Values that are none are left to the caller to refuse.
-- Plans are kept, as making them takes longer than running them; and they are without sequential scans, since the table is
-- empty when they are made. Definer because claims are the owner's.
create or replace function memhouse._claim_source_keys(
    p_types text[], p_source_keys text[], p_scope_ids uuid[], p_peer_ids uuid[], p_sensitivities text[], p_levels text[],
    p_states text[], p_expires_at timestamptz[]
)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_since constant tstzmultirange := tstzmultirange(tstzrange(now(), null));
    v_open constant memhouse.sensitivity := memhouse._open_sensitivity(v_reader.posture);
    v_sensitivities constant text[] := enum_range(null::memhouse.sensitivity);
    v_levels constant text[] := enum_range(null::memhouse.target_level);
    v_claims bigint[];
begin
    select array_agg(distinct hashtextextended(a.audience || l.source_key, 0)) into v_claims
    from unnest(p_types, p_source_keys, p_scope_ids, p_peer_ids, p_sensitivities, p_levels, p_states, p_expires_at)
        as l (type, source_key, scope_id, peer_id, sensitivity, level, state, expires_at)
    cross join lateral (select row(l.type, l.scope_id, l.peer_id, l.sensitivity, l.level, l.state)::text as audience) as a
    where l.source_key is not null
      and (l.expires_at is null or l.expires_at > now())
      and case when l.sensitivity = any (v_sensitivities) and l.level = any (v_levels) and l.state = any ('{active,provisional,proposed}')
          then memhouse.admits(
                   v_reader.account_id, l.scope_id, l.peer_id, l.sensitivity::memhouse.sensitivity, l.level::memhouse.target_level,
                   l.state::memhouse.lifecycle_state, case l.state when 'active' then v_since else '{}' end,
                   case l.state when 'provisional' then v_since else '{}' end, null,
                   v_reader.account_id, v_reader.scopes, v_reader.clearance, v_reader.peer_id, v_open, v_reader.posture = 'peer', 'infinity')
               or v_reader.posture = 'internal'
               or l.scope_id = any ((select memhouse._granted_scopes(v_reader.account_id, v_reader.credential_id, 'curator'))::uuid[]) end;

    if v_claims is not null then
        -- In the order of array_agg(distinct), which sorts.
        insert into memhouse.source_key_claim (account_id, claim)
        select v_reader.account_id, c.claim from unnest(v_claims) as c (claim)
        on conflict do nothing;
        delete from memhouse.source_key_claim as s
        where s.account_id = v_reader.account_id and s.claim = any (v_claims);
    end if;
end
$$;
comment on function memhouse._claim_source_keys(text[], text[], uuid[], uuid[], text[], text[], text[], timestamptz[]) is
'Makes transactions that store the same visible line under the same source key wait for each other. Private to observe, remember and import_batch.';
