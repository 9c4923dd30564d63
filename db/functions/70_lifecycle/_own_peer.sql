-- The peer of the credential that began this posture: not the peer a read names, which anybody may name.
-- Null for a credential without one and for server-side work. Definer because credentials are the owner's.
create or replace function memhouse._own_peer()
returns uuid
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select c.peer_id
    from memhouse._reader() as r
    join memhouse.credential as c on c.account_id = r.account_id and c.credential_id = r.credential_id;
end;
comment on function memhouse._own_peer() is 'Peer of the credential behind this posture, whatever peer it reads for. Private.';
