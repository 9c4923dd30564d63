-- HMAC-SHA256 (RFC 2104) from built-in sha256; no pgcrypto. The keys come mixed with the pads already (seal_key).
create or replace function memhouse._hmac(p_inner_key bytea, p_outer_key bytea, p_text text)
returns text
language sql stable parallel safe
return encode(sha256(p_outer_key || sha256(p_inner_key || convert_to(p_text, 'UTF8'))), 'hex');
comment on function memhouse._hmac(bytea, bytea, text) is 'HMAC-SHA256 (RFC 2104) of a text in hex, under a key mixed with its pads. Private.';
