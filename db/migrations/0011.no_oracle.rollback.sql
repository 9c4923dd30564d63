-- The index by scope alone cannot be made again where two writers have used one key: resolve those first.
set local role memhouse_owner;
alter table memhouse.knowledge alter column subject_peer_id set statistics -1;
alter table memhouse.knowledge alter column recorded_at set statistics -1;
alter table memhouse.knowledge alter column expires_at set statistics -1;
alter table memhouse.knowledge alter column revalidate_at set statistics -1;
alter table memhouse.knowledge alter column audience set statistics -1;
alter table memhouse.observation alter column peer_id set statistics -1;
alter table memhouse.observation alter column recorded_at set statistics -1;
drop index memhouse.observation_source_key;
drop index memhouse.knowledge_source_key;
create unique index observation_source_key on memhouse.observation (account_id, source_key, scope_id) where source_key is not null;
create unique index knowledge_source_key on memhouse.knowledge (account_id, source_key, scope_id) where source_key is not null;
reset role;
