-- The posture of this transaction as begin_* sealed it; null when none was begun, so that every policy denies.
-- Error: MH002 when the settings were not written by begin_* in this transaction.
-- Definer because the seal keys are the owner's. plpgsql: measured faster than SQL for a cached look-up.
-- Planned once: strategies ask for custom plans, and that would reach the query in here too.
create or replace function memhouse._posture()
returns memhouse.reader
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_posture text := current_setting('memhouse.reader', true);
    v_seal text := current_setting('memhouse.seal', true);
    v_key memhouse.seal_key;
begin
    if v_posture is null or v_posture = '' then
        return null;
    end if;
    select k.* into v_key from memhouse.seal_key as k
    where k.key_id::text = split_part(v_seal, ':', 1);
    if v_seal is distinct from memhouse._seal(v_posture, v_key) or v_seal is null then
        perform memhouse._fail('MH002', 'The seal does not match the settings, this backend and this transaction.');
    end if;
    return v_posture::memhouse.reader;
end
$$;
comment on function memhouse._posture() is 'The posture of this transaction with its seal verified, or null. Private.';
