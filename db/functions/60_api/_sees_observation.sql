-- Whether this posture may read an observation. Owned by memhouse_api, so the reader policy answers.
create or replace function memhouse._sees_observation(p_id uuid)
returns boolean
language sql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select exists (
        select from memhouse.observation as o
        where o.account_id = (select memhouse.reader_account()) and o.observation_id = p_id);
end;
alter function memhouse._sees_observation(uuid) owner to memhouse_api;
comment on function memhouse._sees_observation(uuid) is 'Whether the reader policy shows an observation to this posture. Private. Definer because that policy is the API''s.';
