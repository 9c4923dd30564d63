-- Aliases, proposed and confirmed, for the server-side worker that reviews them. No caller but memhouse_internal may
-- execute it: entity names leave the database nowhere else.
-- Definer because aliases are the owner's table.
create or replace function memhouse.entity_aliases()
returns table (alias text, name text, confirmed boolean)
language plpgsql stable security definer rows 20
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    if v_reader.posture <> 'internal' then
        perform memhouse._fail('MH014', 'Entities are shown to server-side work only: begin_internal.');
    end if;
    return query
    select a.alias_key, a.name_key, a.confirmed from memhouse.entity_alias as a
    where a.account_id = v_reader.account_id order by a.confirmed, a.alias_key, a.name_key;
end
$$;
comment on function memhouse.entity_aliases() is 'Proposed and confirmed entity aliases of the account. Needs begin_internal. Errors: MH001, MH014.';
