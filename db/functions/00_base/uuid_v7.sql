-- A version 7 uuid (RFC 9562): 48 bits of Unix milliseconds, 12 bits of the fraction of that millisecond, 62 random
-- bits. Written out because uuidv7() exists from PostgreSQL 18 only and ids must be alike on every server.
create or replace function memhouse.uuid_v7()
returns uuid
language sql volatile parallel safe
begin atomic
    select encode(
        overlay(
            set_byte(
                set_byte(uuid_send(gen_random_uuid()), 6, 112 + (f.fraction >> 8)),
                7, f.fraction & 255
            )
            placing substring(int8send(f.micros / 1000) from 3) from 1 for 6
        ), 'hex')::uuid
    from (select m.micros, ((m.micros % 1000) * 4096 / 1000)::integer as fraction
          from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros) as m) as f;
end;
comment on function memhouse.uuid_v7() is 'A time-ordered uuid (version 7, RFC 9562), the same on every supported server.';
