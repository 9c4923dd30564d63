-- The token is made here, returned once, and kept as sha256 only: 244 random bits need no slower hash.
-- Definer because credentials are the owner's table.
create or replace function memhouse.create_credential(
    p_account text, p_name text, p_kind text default 'machine', p_peer_key text default null,
    p_clearance text default 'internal', p_db_role name default null, p_expires_at timestamptz default null
)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account_id uuid := memhouse._account_id(p_account);
    v_peer_id uuid;
    v_id uuid := memhouse.uuid_v7();
    v_token text := memhouse._new_token();
begin
    perform memhouse._one_of(p_kind, enum_range(null::memhouse.credential_kind)::text[], 'p_kind');
    perform memhouse._one_of(p_clearance, enum_range(null::memhouse.sensitivity)::text[], 'p_clearance');
    if p_peer_key is not null then
        select p.peer_id into v_peer_id from memhouse.peer as p where p.account_id = v_account_id and p.peer_key = p_peer_key;
        if not found then
            perform memhouse._fail('MH006', format('No peer has the key %L.', left(p_peer_key, 80)));
        end if;
    elsif p_kind = 'session' then
        perform memhouse._fail('MH010', 'A session credential belongs to a person: p_peer_key is needed.');
    end if;
    if p_db_role is not null and not exists (select from pg_roles as r where r.rolname = p_db_role) then
        perform memhouse._fail('MH010', format('There is no database role %I.', p_db_role));
    end if;
    insert into memhouse.credential (
        account_id, credential_id, credential_name, kind, peer_id, clearance, db_role, token_hash, expires_at)
    values (v_account_id, v_id, memhouse._checked_text(p_name, 'p_name', 200), p_kind::memhouse.credential_kind,
        v_peer_id, p_clearance::memhouse.sensitivity, p_db_role, sha256(convert_to(v_token, 'UTF8')), p_expires_at)
    on conflict do nothing;
    if not found then
        perform memhouse._fail('MH017', format('The account has a credential %L, or the database role has one already.', p_name));
    end if;
    perform memhouse._audit(v_account_id, 'create_credential', v_id, jsonb_build_object(
        'credential', p_name, 'kind', p_kind, 'clearance', p_clearance, 'db_role', p_db_role, 'expires_at', p_expires_at));
    return v_token;
end
$$;
comment on function memhouse.create_credential(text, text, text, text, text, name, timestamptz) is
'Creates a credential and returns its token, shown this once and stored only as a hash. p_kind: machine or session (a person; needs p_peer_key). p_clearance: public, internal, personal or restricted. p_db_role: a database role that then needs no token. Without a grant_scope it sees nothing. Errors: MH006, MH010, MH017, MH018.';
