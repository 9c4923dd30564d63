-- What this reader may retrieve: all that a strategy can see of knowledge. The predicate stands inside, so that every
-- limit a strategy sets is filled with admissible rows and full-text and vector indexes are used.
-- Not a security_barrier view: that would keep non-leakproof operators (full text, vectors) from using an index.
-- It needs none, since only memhouse_strategy may read it and no caller's expression reaches its queries.
create or replace view memhouse.admissible_knowledge as
select
    k.account_id, k.knowledge_id, k.audience, k.scope_id, k.subject_peer_id, k.kind, k.statement, k.sensitivity, k.target_level,
    k.lifecycle_state, k.confidence, k.corroboration, k.relevant_from, k.relevant_until, k.recorded_at, k.expires_at, k.tsv, k.changed_at
from memhouse.knowledge as k
where memhouse.admits(
    k.account_id, k.scope_id, k.subject_peer_id, k.sensitivity, k.target_level,
    k.lifecycle_state, memhouse.believed_during(k.active_during, k.revalidate_at), k.provisional_during, k.expires_at,
    (select memhouse.reader_account()), (select memhouse.reader_scopes()), (select memhouse.reader_clearance()),
    (select memhouse.reader_peer()), (select memhouse.reader_open_sensitivity()),
    (select memhouse.reader_sees_shared()), (select memhouse.reader_known_at())
);
alter view memhouse.admissible_knowledge owner to memhouse_gate;
comment on view memhouse.admissible_knowledge is 'Knowledge that the reader of this transaction may retrieve. Read by the strategies only.';
