-- A version 7 uuid (RFC 9562): 48 bits of Unix milliseconds, 12 bits of the fraction of that millisecond, 62 random
-- bits. Written out because uuidv7() exists from PostgreSQL 18 only and ids must be alike on every server.
-- The first fifteen digits are the time in units of 1/4096 ms (microseconds * 512 / 125), the version stands between
-- milliseconds and fraction; variant and random bits are those of a version 4 uuid. One expression, so that it is inlined.
create or replace function memhouse.uuid_v7()
returns uuid
language sql volatile parallel safe
return (overlay(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000000)::bigint * 512 / 125), 15, '0') placing '7' from 13 for 0)
    || substr(gen_random_uuid()::text, 20))::uuid;
comment on function memhouse.uuid_v7() is 'A time-ordered uuid (version 7, RFC 9562), the same on every supported server.';
