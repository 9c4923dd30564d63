-- The caller table of the design in one place: whoever a statement is about, public_only may see it when public, a
-- peer when public or internal, server-side work always.
create or replace function memhouse._open_sensitivity(p_posture text)
returns memhouse.sensitivity
language sql immutable parallel safe
return case p_posture
    when 'public_only' then 'public'::memhouse.sensitivity
    when 'peer' then 'internal'::memhouse.sensitivity
    when 'internal' then 'restricted'::memhouse.sensitivity
end;
comment on function memhouse._open_sensitivity(text) is 'Sensitivity up to which statements are open to a posture whoever they are about. Private.';
