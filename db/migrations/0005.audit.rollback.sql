set local role memhouse_owner;
drop table memhouse.audit_log;
reset role;
