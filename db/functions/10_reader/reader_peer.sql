-- One part of the posture, for policies and views: written (select memhouse.reader_peer()) it is one initplan a statement.
create or replace function memhouse.reader_peer()
returns uuid
language sql stable parallel restricted
return (memhouse._posture()).peer_id;
comment on function memhouse.reader_peer() is 'The peer the results are read for; null for nobody in particular.';
