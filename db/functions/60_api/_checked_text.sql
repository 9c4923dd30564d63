-- A text a writer hands in: not blank, not over a limit. Error: MH010 naming the argument.
create or replace function memhouse._checked_text(p_text text, p_argument text, p_limit integer)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_text is null or p_text ~ '^\s*$' then
        perform memhouse._fail('MH010', format('%s is empty.', p_argument));
    elsif char_length(p_text) > p_limit then
        perform memhouse._fail('MH010', format('%s has %s characters; at most %s are taken.', p_argument, char_length(p_text), p_limit));
    end if;
    return p_text;
end
$$;
comment on function memhouse._checked_text(text, text, integer) is 'The text if it is not blank and not too long, else MH010. Private.';
