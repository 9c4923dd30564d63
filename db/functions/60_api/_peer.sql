-- The peer behind a key in the account of this posture; null for null. Error: MH006.
-- Definer because peers are the owner's table.
create or replace function memhouse._peer(p_peer_key text)
returns uuid
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_peer_id uuid;
begin
    if p_peer_key is not null then
        select p.peer_id into v_peer_id from memhouse.peer as p
        where p.account_id = (memhouse._require_reader()).account_id and p.peer_key = p_peer_key;
        if not found then
            perform memhouse._fail('MH006', format('No peer has the key %L.', left(p_peer_key, 80)));
        end if;
    end if;
    return v_peer_id;
end
$$;
comment on function memhouse._peer(text) is 'Id of a peer key in the posture''s account, or MH006. Private.';
