-- Cascades: what depends on these is functions, views and policies, which the next migrate makes again.
set local role memhouse_owner;
drop type memhouse.retrieval, memhouse.hit, memhouse.outcome,
    memhouse.listed_candidate, memhouse.candidate, memhouse.request, memhouse.filters, memhouse.analyzed_query cascade;
drop table memhouse.profile, memhouse.strategy, memhouse.embedding, memhouse.embedding_identity cascade;
reset role;
