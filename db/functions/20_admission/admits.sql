-- The only definition of who sees what. The views that strategies read call it, and so do the row-level-security
-- policies; nothing else decides.
--
-- p_*: the row. r_*: the reader, each passed as (select memhouse.reader_x()) so that it is one initplan.
-- The body must stay inlinable, or indexes are lost: language sql, no SET, not STRICT, no subquery, and each r_*
-- parameter named exactly once (the planner does not inline a subquery argument that is used twice).
--
-- Its last condition reads: the time during which this reader may retrieve the row contains the instant asked about.
-- That time is: for the subject, while the row was active or provisional; for whom it is open to, while it was
-- active; for anyone else, never. A row is open when its sensitivity is (to nobody in particular: public; to a peer:
-- internal as well; to server-side work: all), and to a peer also when it is about the scope or was promoted.
create or replace function memhouse.admits(
    p_account_id uuid, p_scope_id uuid, p_subject_peer_id uuid,
    p_sensitivity memhouse.sensitivity, p_target_level memhouse.target_level,
    p_state memhouse.lifecycle_state, p_active_during tstzmultirange, p_provisional_during tstzmultirange,
    p_expires_at timestamptz,
    r_account uuid, r_scopes uuid[], r_clearance memhouse.sensitivity, r_peer uuid,
    r_open memhouse.sensitivity, r_shared boolean, r_known_at timestamptz
)
returns boolean
language sql stable parallel safe
-- coalesce: so that no index serves the comparison. Who looks up by account says so beside. A search by words must not be led
-- through all that an account holds, as the planner, which does not know how often a word stands, else thinks cheap.
return coalesce(p_account_id = r_account, false)
    and p_scope_id = any (r_scopes)
    and p_sensitivity <= r_clearance
    and (p_expires_at is null or p_expires_at > statement_timestamp())
    -- coalesce changes nothing but the planner's guess: it expects half of the rows to pass, not one in two hundred, and
    -- so does not nest loops over what it takes for a single row. (A bare p_state <> 'redacted' would be guessed at no
    -- row at all: behind row security the planner may know how many states there are, but not which.)
    and coalesce(case
            -- Whatever was known at a past instant, what has been redacted since never comes back.
            when p_state = 'redacted' then '{}'::tstzmultirange
            when p_subject_peer_id = r_peer then p_active_during + p_provisional_during
            when p_sensitivity <= r_open then p_active_during
            when r_shared and (p_subject_peer_id is null or p_target_level > 'peer') then p_active_during
            else '{}'::tstzmultirange
        end @> r_known_at, false);
comment on function memhouse.admits(
    uuid, uuid, uuid, memhouse.sensitivity, memhouse.target_level, memhouse.lifecycle_state, tstzmultirange, tstzmultirange,
    timestamptz, uuid, uuid[], memhouse.sensitivity, uuid, memhouse.sensitivity, boolean, timestamptz) is
'Admission: whether a row (p_*) may reach a reader (r_*). Account, scope, clearance, lifecycle, expiry and the reader rule; a filter, never a penalty.';
