-- A signature of a text for this very posture: what the server hands a caller to carry from one connection to another
-- (a plan, the part of a plan) and takes back only if it is what it made, under the posture it made it for.
-- Unlike the seal of a posture it is not bound to backend and transaction, so it holds nothing that grants anything.
-- Null p_signature signs under the newest key; otherwise the key named in p_signature is used, for comparing.
-- Definer because the keys are the owner's.
create or replace function memhouse._sign(p_text text, p_signature text default null)
returns text
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_key memhouse.seal_key;
begin
    select k.* into v_key from memhouse.seal_key as k
    where p_signature is null or k.key_id::text = split_part(p_signature, ':', 1)
    order by k.key_id desc limit 1;
    return v_key.key_id || ':' || memhouse._hmac(v_key.inner_key, v_key.outer_key,
        'signed|' || current_setting('memhouse.reader') || '|' || p_text);
end
$$;
comment on function memhouse._sign(text, text) is 'HMAC-SHA256 (RFC 2104) of a text for the posture of this transaction. Private.';
