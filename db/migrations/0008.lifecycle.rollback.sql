-- The role stays: another database of the cluster may use it. Cascades: what depends on these is functions, views and
-- policies, which the next migrate makes again.
set local role memhouse_owner;
delete from memhouse.server_setting where name in ('sweep_rows', 'sweep_ms');
drop table memhouse.job, memhouse.tombstone, memhouse.lifecycle_change, memhouse.lifecycle_edge cascade;
drop index memhouse.knowledge_due_to_expire, memhouse.knowledge_due_for_revalidation;
revoke usage on schema memhouse from memhouse_jobs;
reset role;
