-- Definer because the list is the owner's table.
create or replace function memhouse.set_job(p_job text, p_every interval default null, p_enabled boolean default null)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_every <= interval '0' then
        perform memhouse._fail('MH010', format('p_every is %s; it must be longer than nothing.', p_every));
    end if;
    update memhouse.job as j
    set every = coalesce(p_every, j.every), enabled = coalesce(p_enabled, j.enabled),
        next_run_at = case when p_every is null then j.next_run_at
                           else least(j.next_run_at, coalesce(j.last_finished_at, now()) + p_every) end
    where j.job_name = p_job;
    if not found then
        perform memhouse._fail('MH010', format('There is no job %s.', coalesce(quote_literal(left(p_job, 80)), 'null')));
    end if;
    perform memhouse._audit(null, 'set_job', null, jsonb_build_object('job', p_job, 'every', p_every, 'enabled', p_enabled));
end
$$;
comment on function memhouse.set_job(text, interval, boolean) is
'Changes how often a job runs, or switches it on or off; null leaves as it is. For administrators. Error: MH010.';
