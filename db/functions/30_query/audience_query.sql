-- Audiences as a tsquery: the lexeme that each statement carries for its own, any of them. Whoever has none asks for that of
-- nobody (0).
-- The full-text index takes a time for the query that grows with the square of its terms: 1 ms for 200, 4 ms for 400, 60 ms
-- for 1600, and tens of thousands fail. Whoever has more than 400, as a reader of fifty scopes and more may, is better off
-- with statements of others looked at, which admission then takes out.
create or replace function memhouse.audience_query(p_audiences bigint[])
returns tsquery
language sql immutable parallel safe
return case when cardinality(p_audiences) <= 400 then (
    select string_agg(memhouse.term_query(memhouse._audience_lexeme(a))::text, ' | ')
    from unnest(case when p_audiences = '{}' then '{0}' else p_audiences end) as a)::tsquery end;
comment on function memhouse.audience_query(bigint[]) is
'A tsquery for the statements of any of these audiences; null, which narrows nothing, for more than 400.';
