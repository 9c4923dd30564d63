-- One part of the posture, for policies and views: written (select memhouse.reader_open_sensitivity()) it is one initplan a statement.
create or replace function memhouse.reader_open_sensitivity()
returns memhouse.sensitivity
language sql stable parallel restricted
return memhouse._open_sensitivity((memhouse._posture()).posture);
comment on function memhouse.reader_open_sensitivity() is
'Sensitivity up to which statements are open to this reader whoever they are about: public (public_only), internal (peer), restricted (internal).';
