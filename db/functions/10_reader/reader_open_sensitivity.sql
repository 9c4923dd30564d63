-- The sensitivity up to which a statement is open to this reader whoever it is about. The caller table of the design
-- in one place: public_only sees public, a peer sees public and internal, server-side work sees all.
create or replace function memhouse.reader_open_sensitivity()
returns memhouse.sensitivity
language sql stable parallel restricted
return case (memhouse._reader()).posture
    when 'public_only' then 'public'::memhouse.sensitivity
    when 'peer' then 'internal'::memhouse.sensitivity
    when 'internal' then 'restricted'::memhouse.sensitivity
end;
comment on function memhouse.reader_open_sensitivity() is
'Sensitivity up to which statements are open to this reader whoever they are about: public (public_only), internal (peer), restricted (internal).';
