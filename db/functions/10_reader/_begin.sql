-- What begin_read and begin_write share: authenticate, resolve the peer, intersect the scope with the grants, seal.
-- Errors: MH003 to MH007. Definer because it reads identity tables and signs.
create or replace function memhouse._begin(
    p_credential text, p_peer_key text, p_scope text, p_known_at timestamptz, p_writes boolean
)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential := memhouse._authenticate(p_credential);
    v_reader memhouse.reader;
begin
    v_reader.account_id := v_credential.account_id;
    v_reader.credential_id := v_credential.credential_id;
    v_reader.authority_version := v_credential.authority_version;
    v_reader.clearance := v_credential.clearance;
    v_reader.known_at := p_known_at;

    if p_peer_key is null then
        v_reader.peer_id := v_credential.peer_id;
    else
        select p.peer_id into v_reader.peer_id from memhouse.peer as p
        where p.account_id = v_credential.account_id and p.peer_key = p_peer_key;
        if not found then
            perform memhouse._fail('MH006', format('No peer has the key %L.', left(p_peer_key, 80)));
        end if;
    end if;
    v_reader.posture := case when v_reader.peer_id is null then 'public_only' else 'peer' end;

    v_reader.scopes := memhouse._granted_scopes(v_credential.account_id, v_credential.credential_id, 'reader');
    if p_scope is not null then
        -- The scope itself must be granted: a granted ancestor of a scope that is denied is no answer to it.
        select s.scope_id, array(select unnest(v_reader.scopes) intersect select unnest(s.path))
        into v_reader.scope_id, v_reader.scopes
        from memhouse.scope as s
        where s.account_id = v_credential.account_id and s.scope_key = p_scope and s.scope_id = any (v_reader.scopes);
        if not found then
            perform memhouse._fail('MH007', format('No scope %L is granted to this credential.', left(p_scope, 80)));
        end if;
    end if;
    if p_writes then
        v_reader.write_scopes := memhouse._granted_scopes(v_credential.account_id, v_credential.credential_id, 'member');
    end if;
    perform memhouse._set_reader(v_reader);
end
$$;
comment on function memhouse._begin(text, text, text, timestamptz, boolean) is 'Authenticates, resolves and seals a posture. Private to begin_read and begin_write.';
