-- A text with its signature before it, as plan_search and run_search_part hand it out. The kind, plan or part, is
-- signed with it, so that one cannot pass for the other. In base64, since a client sends it back as an element of an array:
-- a composite of composites has a quote at every turn, and each costs escaping it and reading it.
create or replace function memhouse._sealed(p_kind text, p_text text)
returns text
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    v_body constant text := replace(encode(convert_to(p_text, 'UTF8'), 'base64'), E'\n', '');
begin
    return memhouse._sign(p_kind || ' ' || v_body) || '.' || v_body;
end
$$;
comment on function memhouse._sealed(text, text) is 'A text in base64 with its signature. Private to the parallel read.';
