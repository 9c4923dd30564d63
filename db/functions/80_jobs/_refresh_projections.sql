-- Brings the projections of every account up to date: the mention index, and the recall documents where they are used.
-- Works on each account in the posture internal and puts back the posture that was there before: a caller that may run
-- jobs must not find itself with that one. Returns how many statements and documents were read or made. Definer because it begins the posture internal.
create or replace function memhouse._refresh_projections()
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader constant text := coalesce(current_setting('memhouse.reader', true), '');
    v_seal constant text := coalesce(current_setting('memhouse.seal', true), '');
    v_account memhouse.account;
    v_changed integer := 0;
begin
    for v_account in
        select a.* from memhouse.account as a order by a.account_id
    loop
        perform memhouse.begin_internal(v_account.account_key);
        v_changed := v_changed + memhouse.refresh_entities();
        if v_account.settings -> 'experimental_minimal_recall' = 'true' then
            v_changed := v_changed + memhouse.refresh_recall_documents();
        end if;
    end loop;
    perform set_config('memhouse.reader', v_reader, true), set_config('memhouse.seal', v_seal, true);
    return v_changed;
end
$$;
comment on function memhouse._refresh_projections() is 'Brings mention indexes and recall documents of all accounts up to date. Private to run_job.';
