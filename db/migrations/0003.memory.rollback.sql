-- Cascades: what depends on these is functions, views and policies, which the next migrate makes again.
set local role memhouse_owner;
drop table memhouse.relation, memhouse.knowledge_source, memhouse.knowledge, memhouse.observation cascade;
drop function memhouse._audience_of(
    uuid, uuid, memhouse.sensitivity, memhouse.target_level, memhouse.lifecycle_state, tstzmultirange, tstzmultirange),
    memhouse._audience(uuid, uuid, memhouse.sensitivity, boolean), memhouse._audience_prefix(bigint),
    memhouse._audience_words(bigint, tsvector) cascade;
drop type memhouse.relation_type, memhouse.lifecycle_state, memhouse.target_level, memhouse.knowledge_kind cascade;
reset role;
