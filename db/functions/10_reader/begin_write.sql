-- Begins a transaction that may write, and read back as the credential's own peer would.
-- Definer because it authenticates and signs.
create or replace function memhouse.begin_write(p_credential text default null)
returns table (account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz)
language plpgsql volatile rows 1 security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._reader_of(memhouse._authenticate(p_credential), null, null, null, true);
begin
    perform memhouse._set_reader(v_reader);
    return query select w.* from memhouse._in_words(v_reader) as w;
end
$$;
comment on function memhouse.begin_write(text) is
'Begins a write in this transaction, under a token or (null) the session''s database role. Writing a scope needs role member or above on it. Errors: MH003, MH004, MH005.';
