-- The seal of a posture: HMAC-SHA256 (RFC 2104) over the posture, the backend and the transaction, so that a posture
-- written by hand, edited, or carried to another transaction does not verify. Built-in sha256; no pgcrypto.
-- Null when the key is not known. Definer because the keys are the owner's. Parallel restricted: a worker has
-- another pg_backend_pid().
create or replace function memhouse._seal(p_posture text, p_key_id integer)
returns text
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_inner bytea;
    v_outer bytea;
begin
    select k.inner_key, k.outer_key into v_inner, v_outer from memhouse.seal_key as k where k.key_id = p_key_id;
    return p_key_id || ':' || encode(sha256(v_outer || sha256(v_inner || convert_to(
        p_posture || '|' || pg_backend_pid() || '|' || extract(epoch from transaction_timestamp()), 'UTF8'))), 'hex');
end
$$;
comment on function memhouse._seal(text, integer) is 'HMAC-SHA256 (RFC 2104) of a posture under a seal key, bound to backend and transaction. Private.';
