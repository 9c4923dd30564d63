-- Checks that a text names a value of an enum before it is cast, so that a typo is MH010 with the choices and not
-- a bare 22P02. Returns the text, for casting at the call site. Inlined where its arguments are columns or variables.
create or replace function memhouse._one_of(p_value text, p_choices text[], p_argument text)
returns text
language sql stable parallel restricted
return case
    when p_value = any (p_choices) then p_value
    when memhouse._fail('MH010', format('%s is %s; it must be one of %s.',
        p_argument, coalesce(quote_literal(left(p_value, 80)), 'null'), array_to_string(p_choices, ', '))) then null
end;
comment on function memhouse._one_of(text, text[], text) is 'The value if it is among the choices, else MH010 naming the argument. Private.';
