-- The belief time of a statement, cut off at its revalidation date once that has passed: from that instant it is not
-- believed, swept or not. What admits() is given as the time a row was active. Must stay inlinable, as admits must.
create or replace function memhouse.believed_during(p_active_during tstzmultirange, p_revalidate_at timestamptz)
returns tstzmultirange
language sql stable parallel safe
return case
    when p_revalidate_at <= statement_timestamp() then p_active_during * tstzmultirange(tstzrange(null, p_revalidate_at))
    else p_active_during
end;
comment on function memhouse.believed_during(tstzmultirange, timestamptz) is
'When a statement was believed: while it was active, and not after its revalidation date.';
