-- The trigger function of append-only tables.
create or replace function memhouse._refuse_change()
returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception using errcode = 'restrict_violation', message = format('%s is append-only', tg_table_name);
end
$$;
comment on function memhouse._refuse_change() is 'Trigger: refuses update and delete of an append-only table. Private.';
