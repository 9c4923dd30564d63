-- Definer because the list is the owner's table.
create or replace function memhouse.jobs()
returns setof memhouse.job
language sql stable rows 5 security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select j.* from memhouse.job as j order by j.job_name;
end;
comment on function memhouse.jobs() is 'The jobs: how often they run, when next, and how the last run went. For memhouse_jobs and administrators.';
