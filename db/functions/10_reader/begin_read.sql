-- The first step of every read. Writes nothing but transaction-local settings, so it works on a hot standby.
-- One row, or an error: MH003 to MH005 for the credential, MH006 for the peer, MH007 for the scope.
-- Definer because it authenticates and signs.
create or replace function memhouse.begin_read(
    p_credential text default null, p_peer_key text default null,
    p_scope text default null, p_known_at timestamptz default null
)
returns table (account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz)
language plpgsql volatile rows 1 security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._reader_of(memhouse._authenticate(p_credential), p_peer_key, p_scope, p_known_at, false);
begin
    perform memhouse._set_reader(v_reader);
    return query select w.* from memhouse._in_words(v_reader) as w;
end
$$;
comment on function memhouse.begin_read(text, text, text, timestamptz) is
'Begins a read in this transaction. p_credential: a token, or null for the session''s database role. p_peer_key: the peer to read for; null is the credential''s own peer, or nobody. p_scope: that scope and its ancestors, of those granted; null is every scope granted. p_known_at: the corpus as it was known then. Errors: MH003, MH004, MH005 (credential), MH006 (peer), MH007 (scope). The posture ends with the transaction.';
