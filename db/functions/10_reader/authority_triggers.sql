-- Whatever changes what a credential may do raises its authority_version, also when a DBA changes a table by hand:
-- a posture begun before then fails with MH023 instead of outliving its authority.
create or replace function memhouse._raise_authority()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if tg_table_name = 'credential' then
        new.authority_version := old.authority_version + 1;
        return new;
    elsif tg_table_name = 'scope_grant' then
        update memhouse.credential as c set authority_version = c.authority_version + 1
        where (c.account_id, c.credential_id) in ((old.account_id, old.credential_id), (new.account_id, new.credential_id));
    elsif tg_table_name = 'scope' then
        update memhouse.credential as c set authority_version = c.authority_version + 1 where c.account_id = new.account_id;
    end if;
    return null;
end
$$;
comment on function memhouse._raise_authority() is 'Trigger: raises authority_version of the credentials a change touches. Private. Definer because credentials are the owner''s.';

create or replace trigger raise_authority
before update of peer_id, clearance, db_role, kind, expires_at, revoked_at, token_hash on memhouse.credential
for each row when (old.* is distinct from new.*) execute function memhouse._raise_authority();

create or replace trigger raise_authority
after insert or update or delete on memhouse.scope_grant
for each row execute function memhouse._raise_authority();

create or replace trigger raise_authority
after update of path on memhouse.scope
for each row when (old.path is distinct from new.path) execute function memhouse._raise_authority();
