-- Cascades: what depends on these is functions, views and policies, which the next migrate makes again.
set local role memhouse_owner;
drop table memhouse.audit_log cascade;
reset role;
