-- Writes the posture and its seal as transaction-local settings: they end with the transaction, whoever ends it, so
-- a pooler can hand the connection on. Where the account's setting log_reads is on, a line of the server's log says who
-- began what, without content; a read writes nothing into the database. Definer because it signs; executable by the begin_* functions only.
create or replace function memhouse._set_reader(p_reader memhouse.reader)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
-- The posture is text from here on: an instant in it must read the same under any DateStyle of the session.
set datestyle = 'ISO, YMD'
as $$
declare
    v_posture text := p_reader::text;
    v_key memhouse.seal_key;
begin
    if exists (select from memhouse.account as a where a.account_id = p_reader.account_id and a.settings -> 'log_reads' = 'true') then
        raise log 'memhouse: posture % begun for account % by credential %, % scopes, known at %',
            p_reader.posture, p_reader.account_id, coalesce(p_reader.credential_id::text, 'none'), cardinality(p_reader.scopes),
            coalesce(p_reader.known_at::text, 'now');
    end if;
    select k.* into strict v_key from memhouse.seal_key as k order by k.key_id desc limit 1;
    perform set_config('memhouse.reader', v_posture, true), set_config('memhouse.seal', memhouse._seal(v_posture, v_key), true),
        -- That of an earlier begin_search in the transaction is not this reader's.
        set_config('memhouse.deadline_ms', '', true);
end
$$;
comment on function memhouse._set_reader(memhouse.reader) is 'Writes and seals the posture of this transaction. Private to the begin_* functions.';
