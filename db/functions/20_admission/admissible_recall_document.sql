-- Recall documents of what this reader may retrieve, and only while they are true to it: a row that changed since the
-- document was made (lifecycle, sensitivity, scope) is out of it at once, refreshed or not.
-- offset 0: from the document to its statement by key, whatever the planner thinks of the other way, which passes by all of an account.
create or replace view memhouse.admissible_recall_document as
select
    d.identity_id, d.lane, d.operation, d.vec,
    d.account_id, d.knowledge_id, k.audience, k.scope_id, k.subject_peer_id, k.kind, k.confidence, k.recorded_at
from memhouse.recall_document as d
cross join lateral (
    select n.audience, n.scope_id, n.subject_peer_id, n.kind, n.confidence, n.recorded_at
    from memhouse.admissible_knowledge as n
    where n.account_id = d.account_id and n.knowledge_id = d.knowledge_id and n.changed_at = d.source_watermark
    offset 0
) as k;
alter view memhouse.admissible_recall_document owner to memhouse_gate;
comment on view memhouse.admissible_recall_document is
'Recall documents of knowledge that the reader of this transaction may retrieve, unless the statement changed since. Read by the strategies only.';
