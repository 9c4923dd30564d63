-- begin_read, and the deadline of the search that follows: one call says who asks and how much time there is.
-- The timeouts are set here and not by the search: PostgreSQL starts the clock of a statement with the value in force when
-- it arrives. What a profile reserves for reranking is taken off, so that the strategies stop in time for it.
-- Definer because it authenticates and signs, and because the profile is the owner's table.
create or replace function memhouse.begin_search(
    p_credential text default null, p_peer_key text default null, p_scope text default null, p_known_at timestamptz default null,
    p_profile text default null, p_deadline_ms integer default null, p_spent_ms integer default 0
)
returns table (
    account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz, deadline_ms integer
)
language plpgsql volatile rows 1 security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._reader_of(memhouse._authenticate(p_credential), p_peer_key, p_scope, p_known_at, false);
    v_config jsonb;
    v_reserved integer;
    v_timeout text;
begin
    perform memhouse._set_reader(v_reader);
    v_config := (memhouse._profile(p_profile, v_reader)).config;
    select t.deadline_ms, t.reserved_rerank_ms into deadline_ms, v_reserved
    from memhouse._times(v_config, coalesce(p_deadline_ms, greatest(1, (v_config ->> 'deadline_ms')::integer - p_spent_ms))) as t;
    v_timeout := deadline_ms - v_reserved;
    perform set_config('memhouse.deadline_ms', deadline_ms::text, true),
        set_config('statement_timeout', v_timeout, true), set_config('lock_timeout', v_timeout, true);
    -- What ends the transaction a second later, should nothing else: PostgreSQL 17 and later have that.
    if current_setting('server_version_num')::integer >= 170000 then
        perform set_config('transaction_timeout', (v_timeout::integer + 1000)::text, true);
    end if;
    return query
    select w.account_key, w.reader_posture, w.peer_key, w.scopes, w.clearance, w.known_at, deadline_ms from memhouse._in_words(v_reader) as w;
end
$$;
comment on function memhouse.begin_search(text, text, text, timestamptz, text, integer, integer) is
'Begins a read in this transaction, as begin_read does, and bounds the searches that follow in it by a deadline in milliseconds: p_deadline_ms, or that of the profile (p_profile; null: the default) less p_spent_ms, at least 1. Sets statement_timeout and lock_timeout of the transaction to it, the rerank reservation of the profile taken off, and where there is one transaction_timeout to a second more. Returns the posture and that deadline, which searches without p_deadline_ms have. Errors: those of begin_read, MH008, MH010, MH021.';
