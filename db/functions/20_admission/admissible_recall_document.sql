-- Recall documents of what this reader may retrieve, and only while they are true to it: a row that changed since the
-- document was made (lifecycle, sensitivity, scope) is out of it at once, refreshed or not.
create or replace view memhouse.admissible_recall_document as
select
    d.identity_id, d.lane, d.operation, d.vec,
    k.account_id, k.knowledge_id, k.audience, k.scope_id, k.subject_peer_id, k.kind, k.confidence, k.recorded_at
from memhouse.recall_document as d
join memhouse.admissible_knowledge as k
    on k.account_id = d.account_id and k.knowledge_id = d.knowledge_id and k.changed_at = d.source_watermark;
alter view memhouse.admissible_recall_document owner to memhouse_gate;
comment on view memhouse.admissible_recall_document is
'Recall documents of knowledge that the reader of this transaction may retrieve, unless the statement changed since. Read by the strategies only.';
