-- Raises an error of the catalogue. Returns boolean so that it can stand in an expression.
-- plpgsql: only it can raise. Stable: it may be called while a read is being planned or run.
create or replace function memhouse._fail(p_code text, p_detail text)
returns boolean
language plpgsql stable parallel restricted
as $$
declare
    v_entry record;
begin
    select * into strict v_entry from memhouse.error_catalog() as e where e.code = p_code;
    raise exception using errcode = p_code, message = v_entry.message, detail = p_detail, hint = v_entry.hint;
end
$$;
comment on function memhouse._fail(text, text) is 'Raises an error of memhouse.error_catalog with the given DETAIL. Private.';
