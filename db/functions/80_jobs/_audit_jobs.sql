-- The entry of the audit log for a change of the schedule. Of its own because install_jobs runs as its caller, who may
-- not write whatever it likes into the log. Definer because the log is the owner's.
create or replace function memhouse._audit_jobs(p_schedule text, p_role name)
returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select memhouse._audit(null, case when p_schedule is null then 'uninstall_jobs' else 'install_jobs' end, null,
        jsonb_strip_nulls(jsonb_build_object('schedule', p_schedule, 'role', p_role)));
end;
comment on function memhouse._audit_jobs(text, name) is 'Notes a change of the jobs'' schedule in the audit log. Private to install_jobs and uninstall_jobs.';
