-- Not even the owner changes the past by accident: only a superuser who disables the trigger can.
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

create or replace trigger append_only
before update or delete on memhouse.audit_log
for each row execute function memhouse._refuse_change();
