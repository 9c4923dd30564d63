-- Audiences as a tsquery: the lexeme that each statement carries for its own, any of them.
create or replace function memhouse.audience_query(p_audiences bigint[])
returns tsquery
language sql immutable parallel safe
return (select string_agg(memhouse.term_query(memhouse._audience_lexeme(a))::text, ' | ') from unnest(p_audiences) as a)::tsquery;
comment on function memhouse.audience_query(bigint[]) is 'A tsquery for the statements of any of these audiences; null for null, which is all.';
