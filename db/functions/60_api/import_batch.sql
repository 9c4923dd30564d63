-- Stores many lines in one call: observations and statements as observe and remember do, with the same checks, the same
-- errors, the same source keys, one audit entry each. All or nothing; the cost of a call and of its plans is paid once.
--
-- p_lines: an array of objects; "type" is observation or knowledge, the rest are the arguments of observe and remember
-- without p_ (for a peer, peer_key and subject_peer; a vector as text). What a line leaves out has that function's default.
-- "source_places" names sources by the places of their lines in this batch, from 1.
-- Output: the ids of the lines in their order; a line whose source key is taken gets the id that holds it.
-- Errors: those of observe and remember, and MH010 for a line that is none. They do not say which line: a caller that needs
-- to know stores the lines one at a time.
-- Definer because writing goes through memhouse_api, whose insert policies check scope and account once more.
create or replace function memhouse.import_batch(p_lines jsonb)
returns uuid[]
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_max_statement constant integer := memhouse._setting_int('max_statement_chars');
    v_max_observation constant integer := memhouse._setting_int('max_observation_chars');
    v_kinds constant text[] := enum_range(null::memhouse.knowledge_kind);
    v_sensitivities constant text[] := enum_range(null::memhouse.sensitivity);
    v_levels constant text[] := enum_range(null::memhouse.target_level);
    v_states constant text[] := array['active', 'provisional', 'proposed'];
    v_since constant tstzmultirange := tstzmultirange(tstzrange(now(), null));
    v_scope_keys text[];
    v_scope_ids uuid[];
    v_peer_keys text[];
    v_peer_ids uuid[];
    v_types text[];
    v_source_keys text[];
    v_ids uuid[];
    v_new boolean[];
    v_expected bigint;
    v_stored bigint;
    v_words text[];
    v_word text;
begin
    if jsonb_typeof(p_lines) is distinct from 'array' then
        perform memhouse._fail('MH010', 'p_lines is no JSON array.');
    end if;
    select array_agg(distinct coalesce(w.word, 'a line that is no object')) into v_words
    from jsonb_array_elements(p_lines) as line (value)
    left join lateral jsonb_object_keys(case jsonb_typeof(line.value) when 'object' then line.value end) as w (word) on true;
    select w.word into v_word from unnest(v_words) as w (word)
    where w.word <> all ('{type,scope,content,role,peer_key,occurred_at,source_key,session_key,metadata,sensitivity,statement,subject_peer,kind,target_level,confidence,relevant_from,relevant_until,expires_at,sources,source_places,embedding,identity,state}')
    limit 1;
    if found then
        perform memhouse._fail('MH010', format('p_lines has %L, which no line may have.', left(v_word, 80)));
    end if;

    select array_agg(s.key), array_agg(memhouse._write_scope(s.key)) into v_scope_keys, v_scope_ids
    from (select distinct line.value ->> 'scope' as key from jsonb_array_elements(p_lines) as line (value)) as s;
    select array_agg(p.key), array_agg(memhouse._peer(p.key)) into v_peer_keys, v_peer_ids
    from (select line.value ->> 'peer_key' as key from jsonb_array_elements(p_lines) as line (value)
          union select line.value ->> 'subject_peer' from jsonb_array_elements(p_lines) as line (value)) as p
    where p.key is not null;
    select array_agg(memhouse._one_of(line.value ->> 'type', array['observation', 'knowledge'], 'type') order by line.place),
        array_agg(case when line.value ->> 'source_key' is not null
                       then memhouse._checked_text(line.value ->> 'source_key', 'p_source_key', 500) end order by line.place)
    into v_types, v_source_keys
    from jsonb_array_elements(p_lines) with ordinality as line (value, place);
    if 'source_key' = any (v_words) then
        perform memhouse._claim_source_keys(
            array_agg(l.type), array_agg(l.source_key), array_agg(s.id), array_agg(p.id),
            array_agg(coalesce(l.sensitivity, case when l.type = 'observation' and p.id is not null then 'personal' else 'internal' end)),
            array_agg(case when l.type = 'observation' then 'peer'
                           else coalesce(l.target_level, case when p.id is null then 'scope' else 'peer' end) end),
            array_agg(case when l.type = 'observation' then 'active' else coalesce(l.state, 'active') end),
            array_agg(case l.type when 'knowledge' then l.expires_at end))
        from jsonb_to_recordset(p_lines) as l (
            type text, scope text, source_key text, peer_key text, subject_peer text, sensitivity text, target_level text, state text,
            expires_at timestamptz)
        join unnest(v_scope_keys, v_scope_ids) as s (key, id) on s.key = l.scope
        left join unnest(v_peer_keys, v_peer_ids) as p (key, id)
            on p.key = case l.type when 'observation' then l.peer_key else l.subject_peer end;
    end if;
    select array_agg(i.id order by i.place), array_agg(i.is_new order by i.place) into v_ids, v_new
    from memhouse._import_ids(v_types, v_source_keys) as i;

    insert into memhouse.observation (
        account_id, observation_id, scope_id, peer_id, role, content, sensitivity, occurred_at, source_key, session_key,
        metadata, written_by)
    select v_reader.account_id, v_ids[l.place], s.id, p.id,
        memhouse._checked_text(coalesce(l.role, 'user'), 'p_role', 50),
        memhouse._checked_text(l.content, 'p_content', v_max_observation),
        memhouse._one_of(coalesce(l.sensitivity, case when p.id is null then 'internal' else 'personal' end), v_sensitivities, 'p_sensitivity')::memhouse.sensitivity,
        coalesce(l.occurred_at, now()), l.source_key,
        case when l.session_key is not null then memhouse._checked_text(l.session_key, 'p_session_key', 500) end,
        memhouse._checked_metadata(l.metadata), v_reader.credential_id
    from rows from (jsonb_to_recordset(p_lines) as (
        type text, scope text, content text, role text, peer_key text, occurred_at timestamptz, source_key text,
        session_key text, metadata jsonb, sensitivity text)) with ordinality
        as l (type, scope, content, role, peer_key, occurred_at, source_key, session_key, metadata, sensitivity, place)
    join unnest(v_scope_keys, v_scope_ids) as s (key, id) on s.key = l.scope
    left join unnest(v_peer_keys, v_peer_ids) as p (key, id) on p.key = l.peer_key
    where l.type = 'observation' and v_new[l.place]
    on conflict do nothing;
    get diagnostics v_stored = row_count;

    insert into memhouse.knowledge (
        account_id, knowledge_id, scope_id, subject_peer_id, kind, statement, sensitivity, target_level, lifecycle_state,
        active_during, provisional_during, confidence, corroboration, relevant_from, relevant_until, expires_at,
        source_key, metadata, written_by)
    select v_reader.account_id, v_ids[l.place], s.id, p.id,
        memhouse._one_of(coalesce(l.kind, 'fact'), v_kinds, 'p_kind')::memhouse.knowledge_kind,
        memhouse._checked_text(l.statement, 'p_statement', v_max_statement),
        memhouse._one_of(coalesce(l.sensitivity, 'internal'), v_sensitivities, 'p_sensitivity')::memhouse.sensitivity,
        memhouse._one_of(c.level, v_levels, 'p_target_level')::memhouse.target_level,
        memhouse._one_of(c.state, v_states, 'p_state')::memhouse.lifecycle_state,
        case c.state when 'active' then v_since else '{}' end,
        case c.state when 'provisional' then v_since else '{}' end,
        c.confidence, greatest(c.sources - 1, 0), l.relevant_from, l.relevant_until, l.expires_at,
        l.source_key, memhouse._checked_metadata(l.metadata), v_reader.credential_id
    from rows from (jsonb_to_recordset(p_lines) as (
        type text, scope text, statement text, subject_peer text, kind text, sensitivity text, target_level text, confidence real,
        relevant_from timestamptz, relevant_until timestamptz, expires_at timestamptz, sources uuid[], source_places integer[],
        metadata jsonb, source_key text, state text)) with ordinality
        as l (type, scope, statement, subject_peer, kind, sensitivity, target_level, confidence, relevant_from, relevant_until,
              expires_at, sources, source_places, metadata, source_key, state, place)
    join unnest(v_scope_keys, v_scope_ids) as s (key, id) on s.key = l.scope
    left join unnest(v_peer_keys, v_peer_ids) as p (key, id) on p.key = l.subject_peer
    cross join lateral (select
        coalesce(l.target_level, case when p.id is null then 'scope' else 'peer' end) as level,
        coalesce(l.state, 'active') as state,
        coalesce(l.confidence, 1) as confidence,
        coalesce(cardinality(l.sources), 0) + coalesce(cardinality(l.source_places), 0) as sources) as c
    where l.type = 'knowledge' and v_new[l.place]
      and memhouse._check_statement(l.subject_peer, c.level, c.confidence, l.relevant_from, l.relevant_until)
    on conflict do nothing;
    get diagnostics v_expected = row_count;
    v_stored := v_stored + v_expected;
    select count(*) into v_expected from unnest(v_new) as n where n;
    if v_stored < v_expected then
        -- Somebody stored the same keys meanwhile: what they made stands.
        select array_agg(coalesce(k.id, i.id) order by i.place), array_agg(i.is_new and coalesce(k.id = i.id, true) order by i.place)
        into v_ids, v_new
        from unnest(v_types, v_source_keys, v_ids, v_new) with ordinality as i (type, source_key, id, is_new, place)
        left join lateral memhouse._known_source_keys(i.type, array[i.source_key]) as k on i.source_key is not null;
    end if;

    perform memhouse._audit_all(v_reader.account_id, 'observe', array_agg(v_ids[l.place]), null)
    from unnest(v_types) with ordinality as l (type, place)
    where l.type = 'observation' and v_new[l.place];
    perform memhouse._audit_all(v_reader.account_id, 'remember', array_agg(v_ids[l.place]),
                                array_agg(jsonb_build_object('state', coalesce(l.state, 'active'))))
    from rows from (jsonb_to_recordset(p_lines) as (type text, state text)) with ordinality as l (type, state, place)
    where l.type = 'knowledge' and v_new[l.place];

    -- Each of these reads all lines again: only where one has what it looks for.
    if v_words && array['sources', 'source_places'] then
        perform memhouse._attach_all_sources(array_agg(v_ids[l.place]), array_agg(src.id))
        from rows from (jsonb_to_recordset(p_lines) as (type text, sources uuid[], source_places integer[])) with ordinality
            as l (type, sources, source_places, place)
        cross join lateral (
            select u.id from unnest(l.sources) as u (id)
            union all
            select case when v_types[n.place] = 'observation' then v_ids[n.place] end from unnest(l.source_places) as n (place)) as src
        where l.type = 'knowledge' and v_new[l.place]
        having count(*) > 0;
    end if;
    if 'embedding' = any (v_words) then
        insert into memhouse.embedding (account_id, knowledge_id, identity_id, vec)
        select v_reader.account_id, v_ids[l.place], i.id, memhouse.checked_vector(l.embedding::@extschema:vector@.vector, i.dimensions)
        from rows from (jsonb_to_recordset(p_lines) as (type text, embedding text, identity text)) with ordinality
            as l (type, embedding, identity, place)
        join (select n.identity, f.identity_id as id, f.dimensions
              from (select distinct line.value ->> 'identity' as identity from jsonb_array_elements(p_lines) as line (value)
                    where line.value ->> 'embedding' is not null) as n
              cross join lateral memhouse._stored_identity(n.identity) as f) as i on i.identity is not distinct from l.identity
        where l.type = 'knowledge' and l.embedding is not null and v_new[l.place];
    end if;
    return coalesce(v_ids, '{}');
end
$$;
alter function memhouse.import_batch(jsonb) owner to memhouse_api;
comment on function memhouse.import_batch(jsonb) is
'Stores many observations and statements in one call and returns their ids in order: objects of type observation or knowledge with the arguments of observe and remember (without p_), checked and idempotent as there; source_places names sources by their place in the batch, from 1. All or nothing. Errors: those of observe and remember.';
