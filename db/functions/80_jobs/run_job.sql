-- Runs one job now, in this transaction, and records how it went. A job that fails leaves nothing of its work and its
-- error in the list; it is tried again when it is next due. The dispatch is written out: a job is code of ours, not a
-- text from a table.
-- Returns how many rows it changed; null when it failed or is being run by somebody else. Error: MH010.
-- Definer because the list is the owner's and the jobs act on every account.
create or replace function memhouse.run_job(p_job text)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_rows integer;
    v_error text;
    v_started constant timestamptz := clock_timestamp();
begin
    if not exists (select from memhouse.job as j where j.job_name = p_job) then
        perform memhouse._fail('MH010', format('There is no job %s.', coalesce(quote_literal(left(p_job, 80)), 'null')));
    end if;
    perform from memhouse.job as j where j.job_name = p_job for update skip locked;
    if not found then
        return null;
    end if;
    begin
        v_rows := case p_job
            when 'sweep_expired' then memhouse.sweep_expired()
            when 'sweep_revalidation' then memhouse.sweep_revalidation()
            when 'refresh_projections' then memhouse._refresh_projections()
        end;
    exception when others then
        v_error := sqlstate || ': ' || sqlerrm;
        raise warning 'job % failed: %', p_job, v_error;
    end;
    update memhouse.job as j
    set last_started_at = v_started, last_finished_at = clock_timestamp(), last_rows = v_rows, last_error = v_error,
        -- A job that found work may have left some: it runs again at the next opportunity, until it finds none.
        next_run_at = clock_timestamp() + case when v_rows > 0 then interval '0' else j.every end
    where j.job_name = p_job;
    return v_rows;
end
$$;
comment on function memhouse.run_job(text) is
'Runs a job now, due or not, and returns how many rows it changed; null when it failed (see memhouse.jobs) or is running elsewhere. For memhouse_jobs. Error: MH010.';
