-- Audiences as a tsquery: the lexeme that each statement carries for its own, any of them. Whoever has none asks for that of
-- nobody (0).
create or replace function memhouse.audience_query(p_audiences bigint[])
returns tsquery
language sql immutable parallel safe
return case when p_audiences is not null then (
    select string_agg(memhouse.term_query(memhouse._audience_lexeme(a))::text, ' | ')
    from unnest(case when p_audiences = '{}' then '{0}' else p_audiences end) as a)::tsquery end;
comment on function memhouse.audience_query(bigint[]) is 'A tsquery for the statements of any of these audiences; null for null, which is all.';
