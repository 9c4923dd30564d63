-- Not even the owner changes the past by accident: only a superuser who disables the trigger can.
create or replace trigger append_only
before update or delete on memhouse.audit_log
for each row execute function memhouse._refuse_change();
