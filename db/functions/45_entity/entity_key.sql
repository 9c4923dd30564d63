-- A name as the mention index holds it: lower case, no possessive, single spaces. Exact aliases are those that
-- become the same key.
create or replace function memhouse.entity_key(p_name text)
returns text
language sql immutable parallel safe
return btrim(regexp_replace(regexp_replace(lower(p_name), '[''’]s\M', '', 'g'), '\s+', ' ', 'g'));
comment on function memhouse.entity_key(text) is 'A name normalised for the mention index: lower case, no possessive, single spaces.';
