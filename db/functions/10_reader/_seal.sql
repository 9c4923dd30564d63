-- The seal of a posture under a key: bound to the backend and the transaction, so that a posture written by hand, edited,
-- or carried to another transaction does not verify. Transactions that come in one message of the simple query protocol
-- begin at one instant: among those a posture can be carried on, by who sent the message and gave the credential in it, and
-- its authority is looked at again as within one transaction. Parallel restricted: a worker has another pg_backend_pid().
create or replace function memhouse._seal(p_posture text, p_key memhouse.seal_key)
returns text
language sql stable parallel restricted
return p_key.key_id || ':' || memhouse._hmac(p_key.inner_key, p_key.outer_key,
    p_posture || '|' || pg_backend_pid() || '|' || extract(epoch from transaction_timestamp()));
comment on function memhouse._seal(text, memhouse.seal_key) is 'Seal of a posture under a key, bound to backend and transaction. Private.';
