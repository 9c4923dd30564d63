-- Refreshes the recall documents of every account that uses them. Works on each account in the posture internal and puts
-- back the posture that was there before: a caller that may run jobs must not find itself with that one.
-- Returns how many documents were made or renewed. Definer because it begins the posture internal.
create or replace function memhouse._refresh_projections()
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader constant text := coalesce(current_setting('memhouse.reader', true), '');
    v_seal constant text := coalesce(current_setting('memhouse.seal', true), '');
    v_account text;
    v_changed integer := 0;
begin
    for v_account in
        select a.account_key from memhouse.account as a where a.settings -> 'experimental_minimal_recall' = 'true' order by 1
    loop
        perform memhouse.begin_internal(v_account);
        v_changed := v_changed + memhouse.refresh_recall_documents();
    end loop;
    perform set_config('memhouse.reader', v_reader, true), set_config('memhouse.seal', v_seal, true);
    return v_changed;
end
$$;
comment on function memhouse._refresh_projections() is 'Refreshes the recall documents of the accounts that use them. Private to run_job.';
