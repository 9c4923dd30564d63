-- admits for an observation at hand and one posture; see _admits_statement.
create or replace function memhouse._admits_observation(p_reader memhouse.reader, p_row memhouse.observation)
returns boolean
language sql stable parallel safe
return memhouse.admits(
    (p_row).account_id, (p_row).scope_id, (p_row).peer_id, (p_row).sensitivity, 'peer',
    'active', tstzmultirange(tstzrange((p_row).recorded_at, null)), '{}', null,
    (p_reader).account_id, (p_reader).scopes, (p_reader).clearance, (p_reader).peer_id,
    memhouse._open_sensitivity((p_reader).posture), (p_reader).posture = 'peer', coalesce((p_reader).known_at, 'infinity'));
comment on function memhouse._admits_observation(memhouse.reader, memhouse.observation) is
'Whether a posture may read an observation, as its row policy has it; false for a row of nulls. Private.';
