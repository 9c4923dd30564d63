-- How many words apart the two nearest distinct lexemes of a query stand in a text; null without two of them.
create or replace function memhouse._closest_pair(p_text tsvector, p_lexemes text[])
returns integer
language sql immutable parallel safe
begin atomic
    select min(n.apart)
    from (
        select o.position - lag(o.position) over w as apart, o.lexeme <> lag(o.lexeme) over w as distinct_terms
        from (select t.lexeme, unnest(t.positions) as position
              from unnest(p_text) as t where t.lexeme = any (p_lexemes)) as o
        window w as (order by o.position, o.lexeme)
    ) as n
    where n.distinct_terms;
end;
comment on function memhouse._closest_pair(tsvector, text[]) is 'Words between the two nearest distinct lexemes of a list in a text. Private to the lexical strategy.';
