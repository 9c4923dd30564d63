-- Edges of which this reader may retrieve both ends, and which were drawn by the instant it asks about.
-- offset 0: from the edge to its statement by key, whatever the planner thinks of the other way, which passes by all of an account.
create or replace view memhouse.admissible_relation as
select r.account_id, r.from_id, r.to_id, r.type, r.confidence, r.recorded_at
from memhouse.relation as r
cross join lateral (select from memhouse.admissible_knowledge as n where n.account_id = r.account_id and n.knowledge_id = r.from_id offset 0) as f
cross join lateral (select from memhouse.admissible_knowledge as n where n.account_id = r.account_id and n.knowledge_id = r.to_id offset 0) as t
where r.account_id = (select memhouse.reader_account())
    and r.recorded_at <= (select memhouse.reader_known_at());
alter view memhouse.admissible_relation owner to memhouse_gate;
comment on view memhouse.admissible_relation is 'Relations between statements that the reader of this transaction may both retrieve. Read by the strategies only.';
