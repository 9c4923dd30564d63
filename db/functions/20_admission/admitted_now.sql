-- admits, for the posture that holds at the very moment a row is looked at.
--
-- A policy passes the parts of the posture as initplans, and the executor evaluates each of them when it first needs
-- it. Whoever types SQL against a table can begin another posture between two of them (a volatile function on the outer side of a
-- nested loop, a cursor left open), and the row would be judged by the scopes of one credential with the clearance of
-- another. So where an analyst's own SQL does the scanning, a row that the initplans admit is judged once more here, by
-- one posture. Functions of the API need it not: nothing of a reader's runs while they scan.
--
-- It returns the id, and policies compare the id with it: the planner then expects one row of a unique id, whatever
-- else is asked, so that the row estimates of EXPLAIN say nothing about rows that are hidden.
--
-- plpgsql, so that it is not inlined; the cost puts it after every other condition. Volatile, so that it looks with a
-- fresh snapshot: a cursor opened before a credential was revoked stops at its next row (MH023).
create or replace function memhouse.admitted_now(
    p_id uuid, p_account_id uuid, p_scope_id uuid, p_subject_peer_id uuid,
    p_sensitivity memhouse.sensitivity, p_target_level memhouse.target_level,
    p_state memhouse.lifecycle_state, p_active_during tstzmultirange, p_provisional_during tstzmultirange,
    p_expires_at timestamptz
)
returns uuid
language plpgsql volatile parallel restricted cost 10000
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._reader();
begin
    return case when memhouse.admits(
        p_account_id, p_scope_id, p_subject_peer_id, p_sensitivity, p_target_level,
        p_state, p_active_during, p_provisional_during, p_expires_at,
        v_reader.account_id, v_reader.scopes, v_reader.clearance, v_reader.peer_id,
        memhouse._open_sensitivity(v_reader.posture), v_reader.posture = 'peer', coalesce(v_reader.known_at, 'infinity')) then p_id end;
end
$$;
comment on function memhouse.admitted_now(
    uuid, uuid, uuid, uuid, memhouse.sensitivity, memhouse.target_level, memhouse.lifecycle_state, tstzmultirange, tstzmultirange, timestamptz) is
'The id of a row that the one posture that holds now admits, else null: what stands between an analyst''s own SQL and a mixture of two postures.';
