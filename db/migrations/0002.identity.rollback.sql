-- Cascades: what depends on these is functions, views and policies, which the next migrate makes again.
set local role memhouse_owner;
drop type memhouse.reader cascade;
drop table memhouse.server_setting, memhouse.seal_key, memhouse.scope_grant, memhouse.credential, memhouse.peer, memhouse.scope, memhouse.account cascade;
drop type memhouse.credential_kind, memhouse.grant_effect, memhouse.scope_role, memhouse.sensitivity cascade;
reset role;
