-- One part of the posture, for policies and views: written (select memhouse.reader_known_at()) it is one initplan a statement.
create or replace function memhouse.reader_known_at()
returns timestamptz
language sql stable parallel restricted
return coalesce((memhouse._posture()).known_at, 'infinity'::timestamptz);
comment on function memhouse.reader_known_at() is 'The instant of belief this read asks about; infinity is now.';
