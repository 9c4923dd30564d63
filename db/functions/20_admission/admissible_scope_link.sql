-- Links between scopes that this read covers both of. A link grants nothing, so it can only lead where the reader may
-- go anyway, and what it leads to is admitted statement by statement.
create or replace view memhouse.admissible_scope_link as
select l.account_id, l.from_scope_id, l.to_scope_id
from memhouse.scope_link as l
where l.account_id = (select memhouse.reader_account())
    and l.from_scope_id = any ((select memhouse.reader_scopes())::uuid[])
    and l.to_scope_id = any ((select memhouse.reader_scopes())::uuid[]);
alter view memhouse.admissible_scope_link owner to memhouse_gate;
comment on view memhouse.admissible_scope_link is 'Scope links of which the reader of this transaction is authorised at both ends. Read by the strategies only.';
