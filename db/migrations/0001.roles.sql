-- The roles of the product. They are cluster-wide while databases are many, so each is made only if absent.
-- None can log in: a DBA grants memhouse_reader, memhouse_writer, memhouse_analyst, memhouse_internal or memhouse_admin
-- to login roles; the other four own objects and are nobody's to use.

do $roles$
declare
    v_role record;
begin
    for v_role in
        select r.role_name, r.purpose
        from (values
            ('memhouse_owner', 'Owns the tables and the administration functions. Nobody''s to use.'),
            ('memhouse_gate', 'Owns the admissible views, and reads what they show. Nobody''s to use.'),
            ('memhouse_strategy', 'Owns the strategies; reads only the admissible views. Nobody''s to use.'),
            ('memhouse_api', 'Owns the read and write API; subject to the reader policies. Nobody''s to use.'),
            ('memhouse_reader', 'For applications that search.'),
            ('memhouse_writer', 'For applications that also observe and remember. Includes memhouse_reader.'),
            ('memhouse_analyst', 'For people who type SQL: selects the rows that memhouse_reader is told of. Includes memhouse_reader.'),
            ('memhouse_internal', 'For server-side work on an account''s whole corpus. Includes memhouse_reader.'),
            ('memhouse_admin', 'For administration: accounts, scopes, peers, credentials, grants, settings and profiles.')
        ) as r (role_name, purpose)
        where not exists (select from pg_catalog.pg_roles as p where p.rolname = r.role_name)
    loop
        execute pg_catalog.format('create role %I nologin', v_role.role_name);
        execute pg_catalog.format('comment on role %I is %L', v_role.role_name, v_role.purpose);
    end loop;
end
$roles$;

-- Granted only where missing: a second database of the cluster may be another role's to migrate, who may not
-- grant these. The owner re-applies the functions of the other three, so it must be able to act as them; and a
-- migrating role that is no superuser needs to act as the owner from here on.
do $grants$
declare
    v_membership text := case when pg_catalog.current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end;
    v_grant record;
begin
    for v_grant in
        select g.role_name, g.member_name
        from (values
            ('memhouse_gate', 'memhouse_owner'), ('memhouse_strategy', 'memhouse_owner'), ('memhouse_api', 'memhouse_owner'),
            ('memhouse_reader', 'memhouse_writer'), ('memhouse_reader', 'memhouse_analyst'), ('memhouse_reader', 'memhouse_internal'),
            ('memhouse_owner', current_user)
        ) as g (role_name, member_name)
        where not pg_catalog.pg_has_role(g.member_name, g.role_name, v_membership)
    loop
        execute pg_catalog.format('grant %I to %I', v_grant.role_name, v_grant.member_name);
    end loop;
end
$grants$;

create schema memhouse authorization memhouse_owner;
comment on schema memhouse is 'Governed memory for agents: tables, admission, strategies and the functions that applications call.';
grant usage on schema memhouse
    to memhouse_gate, memhouse_strategy, memhouse_api, memhouse_reader, memhouse_writer, memhouse_analyst, memhouse_internal, memhouse_admin;
-- A function's owner must be allowed to create in its schema.
grant create on schema memhouse to memhouse_gate, memhouse_strategy, memhouse_api;
