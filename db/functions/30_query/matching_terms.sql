-- Terms of a query within the audiences of a reader: what the full-text index is asked for. Null narrows nothing.
create or replace function memhouse.matching_terms(p_terms tsquery, p_within tsquery)
returns tsquery
language sql immutable parallel safe
return case when p_within is null then p_terms else p_terms && p_within end;
comment on function memhouse.matching_terms(tsquery, tsquery) is 'A tsquery narrowed to the audiences of a reader (audience_query); null narrows nothing.';
