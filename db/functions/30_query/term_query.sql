-- One lexeme as a tsquery, quoted, so that nothing in it is read as an operator.
create or replace function memhouse.term_query(p_lexeme text)
returns tsquery
language sql immutable parallel safe
return ('''' || replace(replace(p_lexeme, '\', '\\'), '''', '''''') || '''')::tsquery;
comment on function memhouse.term_query(text) is 'A lexeme as a tsquery that matches exactly it.';
