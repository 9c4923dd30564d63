-- A posture in words. Runs as its callers, which are the owner's; inlined where they call it.
create or replace function memhouse._in_words(p_reader memhouse.reader)
returns table (account_key text, reader_posture text, peer_key text, scopes text[], clearance text, known_at timestamptz)
language sql stable rows 1
begin atomic
    select a.account_key, p_reader.posture, p.peer_key,
        array(select s.scope_key from memhouse.scope as s
              where s.account_id = p_reader.account_id and s.scope_id = any (p_reader.scopes) order by s.scope_key),
        p_reader.clearance::text, p_reader.known_at
    from memhouse.account as a
    left join memhouse.peer as p on p.account_id = p_reader.account_id and p.peer_id = p_reader.peer_id
    where a.account_id = p_reader.account_id;
end;
comment on function memhouse._in_words(memhouse.reader) is 'A posture in words: account, posture, peer, scopes, clearance and known_at. Private to begin_* and current_reader.';
