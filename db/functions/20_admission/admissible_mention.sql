-- Mentions in what this reader may retrieve: entity names count for a reader only through statements it may see.
create or replace view memhouse.admissible_mention as
select
    m.name_key, m.confidence, m.audience,
    k.account_id, k.knowledge_id, k.scope_id, k.subject_peer_id, k.kind, k.confidence as statement_confidence, k.recorded_at
from memhouse.entity_mention as m
join memhouse.admissible_knowledge as k on k.account_id = m.account_id and k.knowledge_id = m.knowledge_id;
alter view memhouse.admissible_mention owner to memhouse_gate;
comment on view memhouse.admissible_mention is 'Entity mentions in knowledge that the reader of this transaction may retrieve. Read by the strategies only.';
