-- Type memhouse.retrieval loses its attribute only after the functions that use it are gone, which re-applying does.
set local role memhouse_owner;
update memhouse.profile set config = jsonb_set(config, '{strategies,entity_match}', '0.9')
where profile_name in ('balanced', 'thorough');
update memhouse.profile
set config = jsonb_set(config - 'reranker', '{strategies,relation_expand}', '0.6')
    || '{"rerank_head": 20, "rerank_weight": 0.5, "reserved_rerank_ms": 600}'
where profile_name = 'thorough';
delete from memhouse.server_setting where name in ('model_memory_mb', 'query_cache_entries');
alter type memhouse.retrieval drop attribute more;
drop table memhouse.model_host, memhouse.model, memhouse.token_vectors cascade;
drop index memhouse.recall_document_by_identity, memhouse.embedding_by_identity;
alter table memhouse.account drop column embedding_identity_id;
reset role;
