-- Whether this posture may retrieve a statement. Owned by memhouse_api, so the reader policy answers.
create or replace function memhouse._sees(p_id uuid)
returns boolean
language sql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select exists (
        select from memhouse.knowledge as k
        where k.account_id = (select memhouse.reader_account()) and k.knowledge_id = p_id);
end;
alter function memhouse._sees(uuid) owner to memhouse_api;
comment on function memhouse._sees(uuid) is 'Whether the reader policy shows a statement to this posture. Private. Definer because that policy is the API''s.';
