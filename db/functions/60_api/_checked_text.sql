-- A text a writer hands in: not blank, not over a limit. Error: MH010 naming the argument. Inlined where its arguments are
-- columns or variables.
create or replace function memhouse._checked_text(p_text text, p_argument text, p_limit integer)
returns text
language sql stable parallel restricted
return case
    when p_text is null or p_text ~ '^\s*$' then case when memhouse._fail('MH010', format('%s is empty.', p_argument)) then null end
    when char_length(p_text) <= p_limit then p_text
    when memhouse._fail('MH010', format('%s has %s characters; at most %s are taken.', p_argument, char_length(p_text), p_limit)) then null
end;
comment on function memhouse._checked_text(text, text, integer) is 'The text if it is not blank and not too long, else MH010. Private.';
