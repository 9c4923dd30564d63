-- One part of the posture, for policies and views: written (select memhouse.reader_scopes()) it is one initplan a statement.
create or replace function memhouse.reader_scopes()
returns uuid[]
language sql stable parallel restricted
return (memhouse._posture()).scopes;
comment on function memhouse.reader_scopes() is 'Scopes this reader is authorised for: the requested scope and its ancestors, of those granted.';
