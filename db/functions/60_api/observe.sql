-- Stores an immutable observation: a message, a document chunk. What a peer said is personal to that peer unless the
-- writer says otherwise. Idempotent by source key.
-- Definer because writing goes through memhouse_api, whose insert policy checks scope and account once more.
create or replace function memhouse.observe(
    p_scope text, p_content text, p_role text default 'user', p_peer_key text default null,
    p_occurred_at timestamptz default now(), p_source_key text default null, p_session_key text default null,
    p_metadata jsonb default '{}', p_sensitivity text default null
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
    v_peer_id uuid := memhouse._peer(p_peer_key);
    v_max constant integer := memhouse._setting_int('max_observation_chars');
    v_sensitivities constant text[] := enum_range(null::memhouse.sensitivity);
    v_sensitivity constant text := coalesce(p_sensitivity, case when v_peer_id is null then 'internal' else 'personal' end);
begin
    if p_source_key is not null then
        perform memhouse._claim_source_keys(
            '{observation}', array[p_source_key], array[v_scope_id], array[v_peer_id], array[v_sensitivity], '{peer}', '{active}', '{null}');
    end if;
    insert into memhouse.observation (
        account_id, observation_id, scope_id, peer_id, role, content, sensitivity, occurred_at, source_key, session_key,
        metadata, written_by)
    select v_reader.account_id, v_id, v_scope_id, v_peer_id,
        memhouse._checked_text(p_role, 'p_role', 50),
        memhouse._checked_text(p_content, 'p_content', v_max),
        memhouse._one_of(v_sensitivity, v_sensitivities, 'p_sensitivity')::memhouse.sensitivity,
        coalesce(p_occurred_at, now()),
        case when p_source_key is not null then memhouse._checked_text(p_source_key, 'p_source_key', 500) end,
        case when p_session_key is not null then memhouse._checked_text(p_session_key, 'p_session_key', 500) end,
        memhouse._checked_metadata(p_metadata), v_reader.credential_id
    where p_source_key is null or memhouse._known_source_key('observation', p_source_key) is null
    on conflict do nothing;
    if not found then
        return memhouse._known_source_key('observation', p_source_key);
    end if;
    perform memhouse._audit(v_reader.account_id, 'observe', v_id);
    return v_id;
end
$$;
alter function memhouse.observe(text, text, text, text, timestamptz, text, text, jsonb, text) owner to memhouse_api;
comment on function memhouse.observe(text, text, text, text, timestamptz, text, text, jsonb, text) is
'Stores an immutable observation in a scope and returns its id. The same p_source_key returns the first id and changes nothing. p_role: who spoke (user, assistant, tool, document ...). p_peer_key: whose words. p_sensitivity: null is personal when a peer is named, else internal. Errors: MH001, MH006, MH007, MH010, MH014.';
