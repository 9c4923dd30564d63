-- Whether a cancel that just came is statement_timeout at the deadline, and not somebody's wish. statement_timeout runs
-- from the arrival of the first message of a statement, our clock from that of the last: hence a tolerance of 10 ms.
create or replace function memhouse._deadline_fired(p_until timestamptz)
returns boolean
language sql stable parallel safe
return clock_timestamp() >= p_until - interval '10 ms';
comment on function memhouse._deadline_fired(timestamptz) is 'Whether a query_canceled caught now is the deadline''s. Private to the read API.';
