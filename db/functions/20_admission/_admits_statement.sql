-- admits for a statement at hand and one posture, for functions of the owner that answer for a row by its id or key. It does
-- the same work for a row of nulls, which it does not admit: what is hidden and what is not there then take the same
-- time, as they get the same answer. Must stay inlinable.
create or replace function memhouse._admits_statement(p_reader memhouse.reader, p_row memhouse.knowledge)
returns boolean
language sql stable parallel safe
return memhouse.admits(
    (p_row).account_id, (p_row).scope_id, (p_row).subject_peer_id, (p_row).sensitivity, (p_row).target_level,
    (p_row).lifecycle_state, memhouse.believed_during((p_row).active_during, (p_row).revalidate_at), (p_row).provisional_during,
    (p_row).expires_at,
    (p_reader).account_id, (p_reader).scopes, (p_reader).clearance, (p_reader).peer_id,
    memhouse._open_sensitivity((p_reader).posture), (p_reader).posture = 'peer', coalesce((p_reader).known_at, 'infinity'));
comment on function memhouse._admits_statement(memhouse.reader, memhouse.knowledge) is
'Whether a posture may retrieve a statement, as its row policy has it; false for a row of nulls. Private.';
