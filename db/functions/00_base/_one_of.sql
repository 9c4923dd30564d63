-- Checks that a text names a value of an enum before it is cast, so that a typo is MH010 with the choices and not
-- a bare 22P02. Returns the text, for casting at the call site.
create or replace function memhouse._one_of(p_value text, p_choices text[], p_argument text)
returns text
language plpgsql immutable parallel safe
as $$
begin
    if p_value is null or p_value <> all (p_choices) then
        perform memhouse._fail('MH010', format('%s is %s; it must be one of %s.',
            p_argument, coalesce(quote_literal(left(p_value, 80)), 'null'), array_to_string(p_choices, ', ')));
    end if;
    return p_value;
end
$$;
comment on function memhouse._one_of(text, text[], text) is 'The value if it is among the choices, else MH010 naming the argument. Private.';
