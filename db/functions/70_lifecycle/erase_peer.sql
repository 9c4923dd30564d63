-- Erases a person: the statements about the peer with their sources, all that the peer said, the name, and the way in.
-- The peer's row stays as an empty husk under a key that says nothing, because the ids of other rows point at it.
-- What was said about the scope stays, also where it rested on the peer's words.
-- Definer because peers are the owner's table.
create or replace function memhouse.erase_peer(p_account text, p_peer_key text)
returns table (statements integer, observations integer, credentials integer)
language plpgsql volatile security definer rows 1
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account_id uuid := memhouse._account_id(p_account);
    v_peer_id uuid;
    v_ids uuid[];
begin
    select p.peer_id into v_peer_id from memhouse.peer as p
    where p.account_id = v_account_id and p.peer_key = p_peer_key
    for update;
    if not found then
        perform memhouse._fail('MH006', format('No peer has the key %s.', coalesce(quote_literal(left(p_peer_key, 80)), 'null')));
    end if;

    select coalesce(array_agg(k.knowledge_id), '{}') into v_ids
    from memhouse.knowledge as k where k.account_id = v_account_id and k.subject_peer_id = v_peer_id;
    statements := cardinality(v_ids);
    perform memhouse._erase(v_account_id, v_ids, false);

    with erased as (
        delete from memhouse.observation as o
        where o.account_id = v_account_id and o.peer_id = v_peer_id
        returning o.observation_id
    )
    insert into memhouse.tombstone (account_id, id) select v_account_id, e.observation_id from erased as e;
    get diagnostics observations = row_count;

    update memhouse.credential as c
    set revoked_at = coalesce(c.revoked_at, now()), credential_name = 'erased:' || c.credential_id, db_role = null,
        token_hash = sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    where c.account_id = v_account_id and c.peer_id = v_peer_id;
    get diagnostics credentials = row_count;

    update memhouse.peer as p set peer_key = 'erased:' || p.peer_id, display_name = null
    where p.account_id = v_account_id and p.peer_id = v_peer_id;
    insert into memhouse.tombstone (account_id, id) values (v_account_id, v_peer_id);
    perform memhouse._audit(v_account_id, 'erase_peer', v_peer_id,
        jsonb_build_object('statements', statements, 'observations', observations, 'credentials', credentials));
    return next;
end
$$;
comment on function memhouse.erase_peer(text, text) is
'Erases a peer: statements about it with the sources only they rest on, its observations, its key and name; its credentials are revoked. Returns how many of each. Statements about a scope stay, also those that name the peer. For administrators. Errors: MH006, MH018.';
