-- Every change of a statement's row moves its changed_at, and so puts projections made before out of use.
create or replace function memhouse._touch()
returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
    new.changed_at := clock_timestamp();
    return new;
end
$$;
comment on function memhouse._touch() is 'Trigger: sets changed_at of a changed row. Private.';

create or replace trigger touch before update on memhouse.knowledge for each row execute function memhouse._touch();
