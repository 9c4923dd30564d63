-- The posture in words, for people and for begin_* to return. No row when none was begun.
-- Definer because it names the account, peer and scopes, which are the owner's tables.
create or replace function memhouse.current_reader()
returns table (account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz)
language sql stable parallel restricted rows 1 security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
begin atomic
    select a.account_key, r.posture, p.peer_key,
        array(select s.scope_key from memhouse.scope as s
              where s.account_id = r.account_id and s.scope_id = any (r.scopes) order by s.scope_key),
        r.clearance::text, r.known_at
    from memhouse._reader() as r
    join memhouse.account as a on a.account_id = r.account_id
    left join memhouse.peer as p on p.account_id = r.account_id and p.peer_id = r.peer_id;
end;
comment on function memhouse.current_reader() is
'The posture of this transaction in words: account, posture, peer, scopes, clearance and known_at; no row when none was begun.';
