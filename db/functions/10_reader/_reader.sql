-- The posture of this transaction, if its authority still holds; null when none was begun, so that every policy denies.
-- Errors: MH002 (_posture); MH023 when the credential's authority has changed since (revoked, regranted, another
-- clearance), so no posture outlives its authority. Every policy and view asks for the account through here; the other
-- parts of the posture come with the seal alone, which is half the work.
-- Definer because it reads credentials. Planned once: strategies ask for custom plans, and that would reach in here too.
create or replace function memhouse._reader()
returns memhouse.reader
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_reader memhouse.reader := memhouse._posture();
begin
    if v_reader.credential_id is not null and not exists (
        select from memhouse.credential as c
        where c.account_id = v_reader.account_id and c.credential_id = v_reader.credential_id
          and c.authority_version = v_reader.authority_version
          and c.revoked_at is null and (c.expires_at is null or c.expires_at > statement_timestamp())
    ) then
        perform memhouse._fail('MH023', 'The credential was changed or revoked, or has expired.');
    end if;
    return v_reader;
end
$$;
comment on function memhouse._reader() is 'The verified posture of this transaction, its authority checked, or null. Private; the reader_* accessors show its parts.';
