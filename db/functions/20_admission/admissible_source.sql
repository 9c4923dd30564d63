-- Which observations this reader may retrieve statements come from. Of the two ends only the observation is judged here: who
-- asks has the statement from its own table, under the reader policy. (The policy of knowledge_source judges both for
-- each row, which for a page takes longer than reading it.) The posture is a row here and not seven initplans: that is less for a
-- few dozen observations, and more for what strategies scan.
create or replace view memhouse.admissible_source as
select ks.account_id, ks.knowledge_id, ks.observation_id
from memhouse.knowledge_source as ks
join memhouse.observation as o on o.account_id = ks.account_id and o.observation_id = ks.observation_id
cross join memhouse._reader() as r
where memhouse._admits_observation(r, o);
alter view memhouse.admissible_source owner to memhouse_gate;
comment on view memhouse.admissible_source is 'Observations that the reader of this transaction may retrieve, by the statements that name them. Read by the API only, for statements it has.';
