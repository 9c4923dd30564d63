-- The posture a credential gets: the peer it reads for, and the scopes it is granted or those of the requested path.
-- Errors: MH006, MH007. Definer because it reads identity tables.
create or replace function memhouse._reader_of(
    p_credential memhouse.credential, p_peer_key text, p_scope text, p_known_at timestamptz, p_writes boolean
)
returns memhouse.reader
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader;
    v_scope memhouse.scope;
begin
    v_reader.account_id := p_credential.account_id;
    v_reader.credential_id := p_credential.credential_id;
    v_reader.authority_version := p_credential.authority_version;
    v_reader.clearance := p_credential.clearance;
    v_reader.known_at := p_known_at;

    if p_peer_key is null then
        v_reader.peer_id := p_credential.peer_id;
    else
        select p.peer_id into v_reader.peer_id from memhouse.peer as p
        where p.account_id = p_credential.account_id and p.peer_key = p_peer_key;
        if not found then
            perform memhouse._fail('MH006', format('No peer has the key %L.', left(p_peer_key, 80)));
        end if;
    end if;
    v_reader.posture := case when v_reader.peer_id is null then 'public_only' else 'peer' end;

    if p_scope is null then
        v_reader.scopes := memhouse._granted_scopes(p_credential.account_id, p_credential.credential_id, 'reader');
    else
        -- A key that is not there is judged by the path of its neighbour, so that it takes as long as one that is hidden.
        select n.* into v_scope
        from (
            (select s.* from memhouse.scope as s
             where s.account_id = p_credential.account_id and s.scope_key >= p_scope order by s.scope_key limit 1)
            union all
            (select s.* from memhouse.scope as s
             where s.account_id = p_credential.account_id and s.scope_key < p_scope order by s.scope_key desc limit 1)
        ) as n
        limit 1;
        v_reader.scope_id := v_scope.scope_id;
        v_reader.scopes := memhouse._granted_scopes(p_credential.account_id, p_credential.credential_id, 'reader', v_scope.path);
        -- The scope itself must be granted: a granted ancestor of a scope that is denied is no answer to it.
        if not coalesce(v_scope.scope_key = p_scope and v_scope.scope_id = any (v_reader.scopes), false) then
            perform memhouse._fail('MH007', format('No scope %L is granted to this credential.', left(p_scope, 80)));
        end if;
    end if;
    if p_writes then
        v_reader.write_scopes := memhouse._granted_scopes(p_credential.account_id, p_credential.credential_id, 'member');
    end if;
    return v_reader;
end
$$;
comment on function memhouse._reader_of(memhouse.credential, text, text, timestamptz, boolean) is
'The posture that a credential gets for a peer and a scope; MH006 or MH007. Private.';
