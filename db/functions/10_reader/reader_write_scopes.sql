-- One part of the posture, for policies and views: written (select memhouse.reader_write_scopes()) it is one initplan a statement.
create or replace function memhouse.reader_write_scopes()
returns uuid[]
language sql stable parallel restricted
return (memhouse._posture()).write_scopes;
comment on function memhouse.reader_write_scopes() is 'Scopes this posture may write to (role member or above); null in a read posture.';
