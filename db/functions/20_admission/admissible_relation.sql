-- Edges of which this reader may retrieve both ends, and which were drawn by the instant it asks about. Plain joins
-- on primary keys, so that a strategy may start from the few statements it expands.
create or replace view memhouse.admissible_relation as
select r.account_id, r.from_id, r.to_id, r.type, r.confidence, r.recorded_at
from memhouse.relation as r
join memhouse.admissible_knowledge as f on f.account_id = r.account_id and f.knowledge_id = r.from_id
join memhouse.admissible_knowledge as t on t.account_id = r.account_id and t.knowledge_id = r.to_id
where r.account_id = (select memhouse.reader_account())
    and r.recorded_at <= (select memhouse.reader_known_at());
alter view memhouse.admissible_relation owner to memhouse_gate;
comment on view memhouse.admissible_relation is 'Relations between statements that the reader of this transaction may both retrieve. Read by the strategies only.';
