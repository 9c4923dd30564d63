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
    v_allowed uuid[];
    v_denied uuid[];
    v_path uuid[];
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
        -- The rule of _granted_scopes for one path, written from the side of the grants: however many scopes there are, only this
        -- one is looked at, and a scope that is hidden takes as long as one that is not there.
        select coalesce(array_agg(g.scope_id) filter (where g.effect = 'allow' and g.role >= 'reader'), '{}'),
            coalesce(array_agg(g.scope_id) filter (where g.effect = 'deny'), '{}')
        into v_allowed, v_denied
        from memhouse.scope_grant as g
        where g.account_id = p_credential.account_id and g.credential_id = p_credential.credential_id;
        -- The scope itself must be granted: a granted ancestor of a scope that is denied is no answer to it.
        select s.scope_id, s.path into v_reader.scope_id, v_path
        from memhouse.scope as s
        where s.account_id = p_credential.account_id and s.scope_key = p_scope and s.path && v_allowed and not s.path && v_denied;
        if not found then
            perform memhouse._fail('MH007', format('No scope %L is granted to this credential.', left(p_scope, 80)));
        end if;
        -- What is granted holds from there down.
        v_reader.scopes := array(
            select p.id from unnest(v_path) with ordinality as p (id, place) where v_path[:p.place] && v_allowed order by p.place);
    end if;
    if p_writes then
        v_reader.write_scopes := memhouse._granted_scopes(p_credential.account_id, p_credential.credential_id, 'member');
    end if;
    return v_reader;
end
$$;
comment on function memhouse._reader_of(memhouse.credential, text, text, timestamptz, boolean) is
'The posture that a credential gets for a peer and a scope; MH006 or MH007. Private.';
