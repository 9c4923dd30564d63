-- The posture of this transaction, verified; null when none was begun, so that every policy denies.
-- Errors: MH002 when the settings were not written by begin_* in this transaction; MH023 when the credential's
-- authority has changed since (revoked, regranted, another clearance), so no posture outlives its authority.
-- Definer because it reads seal keys and credentials. plpgsql: measured faster than SQL for a few cached look-ups.
create or replace function memhouse._reader()
returns memhouse.reader
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_posture text := current_setting('memhouse.reader', true);
    v_seal text := current_setting('memhouse.seal', true);
    v_reader memhouse.reader;
begin
    if v_posture is null or v_posture = '' then
        return null;
    end if;
    if v_seal !~ '^[0-9]{1,9}:' or v_seal <> memhouse._seal(v_posture, split_part(v_seal, ':', 1)::integer) is not false then
        perform memhouse._fail('MH002', 'The seal does not match the settings, this backend and this transaction.');
    end if;
    v_reader := v_posture::memhouse.reader;
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
comment on function memhouse._reader() is 'The verified posture of this transaction, or null. Private; the reader_* accessors show its parts.';
