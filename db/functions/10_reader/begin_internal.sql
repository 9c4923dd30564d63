-- Server-side work: projection rebuilds, sweeps, evaluation. Who may call it is decided by EXECUTE, which only
-- memhouse_internal holds, so the posture follows from the database role and never from the request.
-- Definer because it reads scopes and signs.
create or replace function memhouse.begin_internal(p_account text)
returns table (account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz)
language plpgsql volatile rows 1 security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader;
begin
    v_reader.account_id := memhouse._account_id(p_account);
    v_reader.posture := 'internal';
    v_reader.clearance := 'restricted';
    v_reader.scopes := array(select s.scope_id from memhouse.scope as s where s.account_id = v_reader.account_id);
    v_reader.write_scopes := v_reader.scopes;
    perform memhouse._set_reader(v_reader);
    return query select w.* from memhouse._in_words(v_reader) as w;
end
$$;
comment on function memhouse.begin_internal(text) is
'Begins server-side work on an account: its whole corpus, narrowed only by lifecycle and expiry. For members of memhouse_internal. Error: MH018.';
