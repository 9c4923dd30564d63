-- Vectors of what this reader may retrieve. A plain join, so that the planner may start from either side: from the
-- few eligible rows, or from the vector index.
create or replace view memhouse.admissible_embedding as
select
    e.identity_id, e.vec,
    k.account_id, k.knowledge_id, k.audience, k.scope_id, k.subject_peer_id, k.kind, k.confidence, k.recorded_at
from memhouse.embedding as e
join memhouse.admissible_knowledge as k on k.account_id = e.account_id and k.knowledge_id = e.knowledge_id;
alter view memhouse.admissible_embedding owner to memhouse_gate;
comment on view memhouse.admissible_embedding is 'Vectors of knowledge that the reader of this transaction may retrieve. Read by the strategies only.';
