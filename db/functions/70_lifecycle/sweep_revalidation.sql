-- Definer because states are the owner's to change.
create or replace function memhouse.sweep_revalidation(p_max_rows integer default null, p_max_ms integer default null)
returns integer
language sql volatile security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select memhouse._sweep('needs_revalidation', p_max_rows, p_max_ms);
end;
comment on function memhouse.sweep_revalidation(integer, integer) is
'Moves statements whose revalidation date has passed to needs_revalidation; returns how many. Reads hide them from that instant in any case. At most p_max_rows rows and p_max_ms milliseconds (null: sweep_rows and sweep_ms of server_setting); call again to go on. Two at once share the work. For memhouse_jobs. Error: MH010.';
