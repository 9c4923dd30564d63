-- Cascades: what depends on these is functions, views and policies, which the next migrate makes again.
set local role memhouse_owner;
drop table memhouse.relation, memhouse.knowledge_source, memhouse.knowledge, memhouse.observation cascade;
drop type memhouse.relation_type, memhouse.lifecycle_state, memhouse.target_level, memhouse.knowledge_kind cascade;
reset role;
