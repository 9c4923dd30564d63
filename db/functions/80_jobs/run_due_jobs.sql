-- Runs every job that is due, in order of how long it has been. Called by pg_cron, by memhouse jobs run, or by any other
-- scheduler; two at once share the jobs. Definer because the list is the owner's.
create or replace function memhouse.run_due_jobs()
returns table (job_name text, changed integer)
language plpgsql volatile security definer rows 5
set search_path = pg_catalog, pg_temp
as $$
begin
    for job_name in
        select j.job_name from memhouse.job as j where j.enabled and j.next_run_at <= clock_timestamp() order by j.next_run_at, j.job_name
    loop
        changed := memhouse.run_job(job_name);
        return next;
    end loop;
end
$$;
comment on function memhouse.run_due_jobs() is
'Runs the jobs that are due and returns how many rows each changed; null for one that failed or is running elsewhere. For memhouse_jobs.';
