-- Which observations this reader may retrieve statements come from. Of the two ends only the observation is judged here: who
-- asks has the statement from its own table, under the reader policy. (The policy of knowledge_source judges both for
-- each row, which for a page takes longer than reading it.)
create or replace view memhouse.admissible_source as
select ks.account_id, ks.knowledge_id, ks.observation_id
from memhouse.knowledge_source as ks
join memhouse.observation as o on o.account_id = ks.account_id and o.observation_id = ks.observation_id
where memhouse.admits(
    o.account_id, o.scope_id, o.peer_id, o.sensitivity, 'peer',
    'active', tstzmultirange(tstzrange(o.recorded_at, null)), '{}', null,
    (select memhouse.reader_account()), (select memhouse.reader_scopes()), (select memhouse.reader_clearance()),
    (select memhouse.reader_peer()), (select memhouse.reader_open_sensitivity()),
    (select memhouse.reader_sees_shared()), (select memhouse.reader_known_at())
);
alter view memhouse.admissible_source owner to memhouse_gate;
comment on view memhouse.admissible_source is 'Observations that the reader of this transaction may retrieve, by the statements that name them. Read by the API only, for statements it has.';
