-- Whether a statement may be for this reader at all: what an index on the audience answers. Only narrows; admits decides.
-- Inlined, and with the reader's audiences known to the plan it is one condition, or for server-side work (null) none.
create or replace function memhouse.in_audience(p_audience bigint, r_audiences bigint[])
returns boolean
language sql immutable parallel safe
return r_audiences is null or p_audience = any (r_audiences);
comment on function memhouse.in_audience(bigint, bigint[]) is 'Whether an audience is among those of a reader; null is all of them.';
