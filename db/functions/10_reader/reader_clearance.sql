-- One part of the posture, for policies and views: written (select memhouse.reader_clearance()) it is one initplan a statement.
create or replace function memhouse.reader_clearance()
returns memhouse.sensitivity
language sql stable parallel restricted
return (memhouse._posture()).clearance;
comment on function memhouse.reader_clearance() is 'Clearance of the credential; a row held more closely is not admitted.';
