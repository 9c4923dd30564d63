-- How many admitted statements pass the filters, counted up to p_cap. It is a count of what the reader may see, so it tells
-- nothing else.
create or replace function memhouse.eligible_rows(p_filters memhouse.filters, p_cap integer)
returns integer
language sql stable parallel restricted
return cardinality(memhouse._admitted_ids(memhouse.reader_account(), memhouse.reader_audiences(), p_filters, p_cap));
comment on function memhouse.eligible_rows(memhouse.filters, integer) is 'Number of admitted statements that pass the filters; counting stops at p_cap.';
