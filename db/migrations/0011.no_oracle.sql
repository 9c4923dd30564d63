-- What a reader or writer could tell hidden rows by, without seeing them.

set local role memhouse_owner;

-- Columns that an index could serve an analyst's own SQL with: their statistics would show, through the costs of EXPLAIN,
-- how many rows there are that the reader may not see.
alter table memhouse.knowledge alter column subject_peer_id set statistics 0;
alter table memhouse.knowledge alter column recorded_at set statistics 0;
alter table memhouse.knowledge alter column expires_at set statistics 0;
alter table memhouse.knowledge alter column revalidate_at set statistics 0;
alter table memhouse.knowledge alter column audience set statistics 0;
alter table memhouse.observation alter column peer_id set statistics 0;
alter table memhouse.observation alter column recorded_at set statistics 0;

-- A source key is taken by whoever wrote it, not by everybody in the scope: or a writer learnt from an answer that
-- another's row, hidden from it, holds the key.
drop index memhouse.observation_source_key;
drop index memhouse.knowledge_source_key;
create unique index observation_source_key on memhouse.observation (account_id, source_key, scope_id, written_by)
nulls not distinct where source_key is not null;
create unique index knowledge_source_key on memhouse.knowledge (account_id, source_key, scope_id, written_by)
nulls not distinct where source_key is not null;

reset role;
