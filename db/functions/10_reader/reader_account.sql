-- One part of the posture, for policies and views: written (select memhouse.reader_account()) it is one initplan a statement.
create or replace function memhouse.reader_account()
returns uuid
language sql stable parallel restricted
return (memhouse._reader()).account_id;
comment on function memhouse.reader_account() is 'Account of this transaction''s posture; null when none was begun.';
