-- A text with its signature before it, as plan_search and run_search_part hand it out.
create or replace function memhouse._sealed(p_text text)
returns text
language sql stable parallel restricted
return memhouse._sign(p_text) || ' ' || p_text;
comment on function memhouse._sealed(text) is 'A text with its signature. Private to the parallel read.';
