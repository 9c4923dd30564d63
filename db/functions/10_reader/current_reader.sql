-- The posture in words. No row when none was begun.
-- Definer because it names the account, peer and scopes, which are the owner's tables.
create or replace function memhouse.current_reader()
returns table (account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz)
language sql stable parallel restricted rows 1 security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
begin atomic
    select w.* from memhouse._reader() as r cross join lateral memhouse._in_words(r) as w;
end;
comment on function memhouse.current_reader() is
'The posture of this transaction in words: account, posture, peer, scopes, clearance and known_at; no row when none was begun.';
