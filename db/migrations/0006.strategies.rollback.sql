-- Cascades: what depends on these is functions and views, which the next migrate makes again.
set local role memhouse_owner;
delete from memhouse.server_setting where name in ('salience_rows', 'common_rows', 'entity_ceiling_percent', 'expand_seeds', 'expand_per_seed');
delete from memhouse.profile where profile_name = 'minimal';
update memhouse.profile
set config = (config - array['rerank_head', 'reserved_rerank_ms', 'rerank_weight', 'signals'])
    || case profile_name when 'fast' then '{"strategies": {"semantic": 1}}'::jsonb else '{"strategies": {"semantic": 1, "lexical": 1}}' end;
delete from memhouse.strategy where name in ('temporal', 'salience_recency', 'entity_match', 'relation_expand', 'semantic_lanes');
drop type memhouse.part, memhouse.search_plan cascade;
alter type memhouse.retrieval drop attribute rerank;
alter type memhouse.request drop attribute eligible, drop attribute admitted, drop attribute seeds;
drop table memhouse.recall_document, memhouse.entity_alias, memhouse.entity_mention cascade;
reset role;
