-- Vectors of what this reader may retrieve.
-- offset 0: from the vector to its statement by key, whatever the planner thinks of the other way, which passes by all of an account.
create or replace view memhouse.admissible_embedding as
select
    e.identity_id, e.vec,
    e.account_id, e.knowledge_id, k.audience, k.scope_id, k.subject_peer_id, k.kind, k.confidence, k.recorded_at
from memhouse.embedding as e
cross join lateral (
    select n.audience, n.scope_id, n.subject_peer_id, n.kind, n.confidence, n.recorded_at
    from memhouse.admissible_knowledge as n
    where n.account_id = e.account_id and n.knowledge_id = e.knowledge_id
    offset 0
) as k;
alter view memhouse.admissible_embedding owner to memhouse_gate;
comment on view memhouse.admissible_embedding is 'Vectors of knowledge that the reader of this transaction may retrieve. Read by the strategies only.';
