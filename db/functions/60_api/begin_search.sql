-- begin_read, and the deadline of the searches that follow: one call says who asks and how much time there is.
-- The timeouts are set here and not by the search: PostgreSQL starts the clock of a statement with the value in force when
-- it arrives. What a profile reserves for reranking is taken off, so that the strategies stop in time for it.
-- Definer because it authenticates and signs, and because the profile is the owner's table.
create or replace function memhouse.begin_search(
    p_credential text default null, p_peer_key text default null, p_scope text default null, p_known_at timestamptz default null,
    p_profile text default null, p_deadline_ms integer default null, p_spent_ms integer default 0
)
returns table (
    account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz, deadline_ms integer,
    timeout_ms integer
)
language plpgsql volatile rows 1 security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._reader_of(memhouse._authenticate(p_credential), p_peer_key, p_scope, p_known_at, false);
    v_config jsonb;
begin
    if p_spent_ms is null or p_spent_ms < 0 then
        perform memhouse._fail('MH010', format('p_spent_ms is %s; it must be 0 or more.', coalesce(p_spent_ms::text, 'null')));
    end if;
    perform memhouse._set_reader(v_reader);
    v_config := (memhouse._profile(p_profile, v_reader)).config;
    -- A profile may be older than a limit that was lowered since.
    select t.deadline_ms, t.deadline_ms - t.reserved_rerank_ms into deadline_ms, timeout_ms
    from memhouse._times(v_config, coalesce(p_deadline_ms,
        least(greatest(1, (v_config ->> 'deadline_ms')::integer - p_spent_ms), memhouse._setting_int('max_deadline_ms')))) as t;
    perform set_config('memhouse.deadline_ms', deadline_ms::text, true),
        set_config('statement_timeout', timeout_ms::text, true), set_config('lock_timeout', timeout_ms::text, true);
    return query
    select w.account_key, w.reader_posture, w.peer_key, w.scopes, w.clearance, w.known_at, deadline_ms, timeout_ms
    from memhouse._in_words(v_reader) as w;
end
$$;
comment on function memhouse.begin_search(text, text, text, timestamptz, text, integer, integer) is
'Begins a read in this transaction, as begin_read does, and bounds its searches by a deadline in milliseconds: p_deadline_ms, or that of the profile (p_profile; null: the default) less p_spent_ms (0 or more), at least 1. Sets statement_timeout and lock_timeout to it, what the profile reserves for reranking taken off, until the transaction ends. Returns the posture, that deadline, which searches without p_deadline_ms have, and timeout_ms, what was set. Errors: those of begin_read, MH008, MH010, MH021.';
