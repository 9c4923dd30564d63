-- A text with its signature before it, as plan_search and run_search_part hand it out. The kind, plan or part, is
-- signed with it, so that one cannot pass for the other.
create or replace function memhouse._sealed(p_kind text, p_text text)
returns text
language sql stable parallel restricted
return memhouse._sign(p_kind || ' ' || p_text) || ' ' || p_text;
comment on function memhouse._sealed(text, text) is 'A text with its signature. Private to the parallel read.';
