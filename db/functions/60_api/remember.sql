-- Stores a statement. By a member it is active at once: at peer level when about a peer, at scope level when about the
-- scope. Above peer level a statement about a peer comes only by promotion with that peer's consent.
-- Idempotent by source key.
-- Definer because writing goes through memhouse_api, whose insert policy checks scope and account once more.
create or replace function memhouse.remember(
    p_scope text, p_statement text, p_subject_peer text default null, p_kind text default 'fact',
    p_sensitivity text default 'internal', p_target_level text default null, p_confidence real default 1.0,
    p_relevant_from timestamptz default null, p_relevant_until timestamptz default null,
    p_expires_at timestamptz default null, p_sources uuid[] default '{}',
    p_embedding @extschema:vector@.vector default null, p_metadata jsonb default '{}',
    p_source_key text default null, p_state text default 'active', p_identity text default null
)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_scope_id uuid := memhouse._write_scope(p_scope);
    v_reader memhouse.reader := memhouse._require_reader();
    v_id uuid := memhouse.uuid_v7();
    v_subject uuid := memhouse._peer(p_subject_peer);
    v_level text := coalesce(p_target_level, case when v_subject is null then 'scope' else 'peer' end);
    v_max constant integer := memhouse._setting_int('max_statement_chars');
    v_kinds constant text[] := enum_range(null::memhouse.knowledge_kind);
    v_sensitivities constant text[] := enum_range(null::memhouse.sensitivity);
    v_levels constant text[] := enum_range(null::memhouse.target_level);
    v_since constant tstzmultirange := tstzmultirange(tstzrange(now(), null));
begin
    perform memhouse._check_statement(p_subject_peer, v_level, p_confidence, p_relevant_from, p_relevant_until);
    if p_source_key is not null then
        perform memhouse._claim_source_keys(
            '{knowledge}', array[p_source_key], array[v_scope_id], array[v_subject], array[p_sensitivity], array[v_level],
            array[p_state], array[p_expires_at]);
    end if;

    insert into memhouse.knowledge (
        account_id, knowledge_id, scope_id, subject_peer_id, kind, statement, sensitivity, target_level, lifecycle_state,
        active_during, provisional_during, confidence, corroboration, relevant_from, relevant_until, expires_at,
        source_key, metadata, written_by)
    select v_reader.account_id, v_id, v_scope_id, v_subject,
        memhouse._one_of(p_kind, v_kinds, 'p_kind')::memhouse.knowledge_kind,
        memhouse._checked_text(p_statement, 'p_statement', v_max),
        memhouse._one_of(p_sensitivity, v_sensitivities, 'p_sensitivity')::memhouse.sensitivity,
        memhouse._one_of(v_level, v_levels, 'p_target_level')::memhouse.target_level,
        memhouse._one_of(p_state, array['active', 'provisional', 'proposed'], 'p_state')::memhouse.lifecycle_state,
        case p_state when 'active' then v_since else '{}' end,
        case p_state when 'provisional' then v_since else '{}' end,
        p_confidence, greatest(coalesce(cardinality(p_sources), 0) - 1, 0), p_relevant_from, p_relevant_until, p_expires_at,
        case when p_source_key is not null then memhouse._checked_text(p_source_key, 'p_source_key', 500) end,
        memhouse._checked_metadata(p_metadata), v_reader.credential_id
    where p_source_key is null or memhouse._known_source_key('knowledge', p_source_key) is null
    on conflict do nothing;
    if not found then
        return memhouse._known_source_key('knowledge', p_source_key);
    end if;
    perform memhouse._audit(v_reader.account_id, 'remember', v_id, jsonb_build_object('state', p_state));
    if p_sources <> '{}' then
        perform memhouse._attach_sources(v_id, p_sources);
    end if;
    if p_embedding is not null then
        insert into memhouse.embedding (account_id, knowledge_id, identity_id, vec)
        select v_reader.account_id, v_id, i.identity_id, memhouse.checked_vector(p_embedding, i.dimensions)
        from memhouse._stored_identity(p_identity) as i;
    end if;
    return v_id;
end
$$;
alter function memhouse.remember(
    text, text, text, text, text, text, real, timestamptz, timestamptz, timestamptz, uuid[], @extschema:vector@.vector, jsonb, text, text, text
) owner to memhouse_api;
comment on function memhouse.remember(
    text, text, text, text, text, text, real, timestamptz, timestamptz, timestamptz, uuid[], @extschema:vector@.vector, jsonb, text, text, text
) is
'Stores an immutable statement in a scope and returns its id. p_subject_peer: whom it is about; null is the scope. p_kind: fact, preference, event, relation, skill, lesson, decision, policy. p_sensitivity: public, internal, personal, restricted. p_target_level: null is peer for a peer, scope for the scope. p_confidence: 0 to 1. p_relevant_from, p_relevant_until: the window in which it holds. p_expires_at: hidden from then on. p_sources: observation ids. p_embedding: its vector, of the account''s identity (p_identity names it). p_source_key: the same key returns the first id and changes nothing. p_state: active, provisional (seen by its subject only) or proposed. Errors: MH001, MH006, MH007, MH010, MH012 to MH015, MH022.';
