-- Not a definer, for the reason install_jobs is none. Error: MH025.
create or replace function memhouse.uninstall_jobs()
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
    v_removed boolean;
begin
    if not exists (select from pg_extension as e where e.extname = 'pg_cron') then
        perform memhouse._fail('MH025', 'pg_cron is not in this database.');
    end if;
    execute 'select bool_or(cron.unschedule(j.jobid)) from cron.job as j where j.jobname = $1'
    into v_removed using 'memhouse: ' || current_database();
    perform memhouse._audit_jobs(null, null);
    return coalesce(v_removed, false);
end
$$;
comment on function memhouse.uninstall_jobs() is
'Takes the jobs out of pg_cron again; false when they were not in it. Error: MH025.';
