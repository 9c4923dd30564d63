-- Adds a seal key and forgets all but the newest two: postures of transactions in flight still verify, so no read
-- fails. A key is 32 random bytes padded to the block of SHA-256 and mixed with the pads of RFC 2104 once, here.
-- Definer because the keys are the owner's.
create or replace function memhouse.rotate_seal_key()
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Four uuids carry 488 random bits from the server's strong generator; the hash makes 256 of them.
    v_key bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
                          || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
    v_inner bytea := v_key || decode(repeat('00', 32), 'hex');
    v_outer bytea := v_inner;
    v_key_id integer;
begin
    for i in 0..63 loop
        v_outer := set_byte(v_outer, i, get_byte(v_outer, i) # 92);   -- 0x5c
        v_inner := set_byte(v_inner, i, get_byte(v_inner, i) # 54);   -- 0x36
    end loop;
    insert into memhouse.seal_key (inner_key, outer_key) values (v_inner, v_outer) returning key_id into v_key_id;
    delete from memhouse.seal_key as k
    where k.key_id not in (select n.key_id from memhouse.seal_key as n order by n.key_id desc limit 2);
    perform memhouse._audit(null, 'rotate_seal_key', null, jsonb_build_object('key_id', v_key_id));
    return v_key_id;
end
$$;
comment on function memhouse.rotate_seal_key() is
'Adds a new key for posture seals and keeps the one before it, so that reads in flight go on. Returns the new key''s id. For administrators.';

select memhouse.rotate_seal_key() where not exists (select from memhouse.seal_key);
