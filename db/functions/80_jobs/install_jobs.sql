-- Lets pg_cron run the jobs. One entry of pg_cron calls run_due_jobs at every tick; which job is due is memhouse's own
-- list, the same with and without pg_cron. Installing again changes the entry that is there.
-- Not a definer: pg_cron runs an entry as a database role, and only the caller can be asked which roles it may name.
-- pg_cron's role must be able to log in and needs EXECUTE on run_due_jobs and nothing else: a login made for it, member
-- of memhouse_jobs. Naming another role than oneself takes a superuser (pg_cron's own rule).
-- The statements are dynamic because the schema cron exists only where pg_cron does. Error: MH025.
create or replace function memhouse.install_jobs(p_schedule text default '* * * * *', p_role name default null)
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
    v_name constant text := 'memhouse: ' || current_database();
    v_role constant name := coalesce(p_role, current_user);
    v_id bigint;
begin
    if not exists (select from pg_extension as e where e.extname = 'pg_cron') then
        perform memhouse._fail('MH025', 'pg_cron is not in this database; memhouse jobs worker does the same from outside.');
    elsif not has_function_privilege(v_role, 'memhouse.run_due_jobs()', 'execute') then
        perform memhouse._fail('MH010', format('%I may not run jobs; a DBA types: grant memhouse_jobs to %I', v_role, v_role));
    elsif not (select r.rolcanlogin from pg_roles as r where r.rolname = v_role) then
        perform memhouse._fail('MH010', format('%I cannot log in, and pg_cron runs nothing as such a role.', v_role));
    end if;
    if p_role is null then
        execute 'select cron.schedule($1, $2, $3)' into v_id using v_name, p_schedule, 'select * from memhouse.run_due_jobs()';
    else
        execute 'select cron.schedule_in_database($1, $2, $3, $4, $5)' into v_id
        using v_name, p_schedule, 'select * from memhouse.run_due_jobs()', current_database()::text, p_role::text;
    end if;
    perform memhouse._audit_jobs(p_schedule, v_role);
    return v_id;
end
$$;
comment on function memhouse.install_jobs(text, name) is
'Has pg_cron call run_due_jobs by a cron schedule (default: every minute) and returns pg_cron''s id of the entry. p_role: a login that is a member of memhouse_jobs; null is the caller. Errors: MH010, MH025.';
