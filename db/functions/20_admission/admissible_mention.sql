-- Mentions in what this reader may retrieve: entity names count for a reader only through statements it may see.
-- offset 0: from the mention to its statement by key, whatever the planner thinks of the other way, which passes by all of an account.
create or replace view memhouse.admissible_mention as
select
    m.name_key, m.confidence, m.audience,
    m.account_id, m.knowledge_id, k.scope_id, k.subject_peer_id, k.kind, k.confidence as statement_confidence, k.recorded_at
from memhouse.entity_mention as m
cross join lateral (
    select n.scope_id, n.subject_peer_id, n.kind, n.confidence, n.recorded_at
    from memhouse.admissible_knowledge as n
    where n.account_id = m.account_id and n.knowledge_id = m.knowledge_id
    offset 0
) as k;
alter view memhouse.admissible_mention owner to memhouse_gate;
comment on view memhouse.admissible_mention is 'Entity mentions in knowledge that the reader of this transaction may retrieve. Read by the strategies only.';
