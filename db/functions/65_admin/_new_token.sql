-- A token: 244 random bits from the server's strong generator, so that a plain hash keeps it safe.
create or replace function memhouse._new_token()
returns text
language sql volatile
begin atomic
    select 'mh_' || translate(rtrim(encode(
        sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'), '='), '+/', '-_');
end;
comment on function memhouse._new_token() is 'A new credential token. Private.';
