-- A caller's confirmation that two names are one entity. Takes effect with the next rebuild_entities.
-- Definer because aliases are the owner's table. Needs begin_internal.
create or replace function memhouse.confirm_entity_alias(p_alias text, p_name text, p_confirmed boolean default true)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    if v_reader.posture <> 'internal' then
        perform memhouse._fail('MH014', 'Merging entities is server-side work: begin_internal.');
    elsif memhouse.entity_key(p_alias) = memhouse.entity_key(p_name) or coalesce(memhouse.entity_key(p_alias), '') = '' or coalesce(memhouse.entity_key(p_name), '') = '' then
        perform memhouse._fail('MH010', 'The alias and the name must be two different names.');
    end if;
    if p_confirmed then
        -- One alias, one entity; and never a chain, which a rebuild would follow only half.
        update memhouse.entity_alias as a set confirmed = false
        where a.account_id = v_reader.account_id and a.alias_key = memhouse.entity_key(p_alias) and a.confirmed;
        if exists (select from memhouse.entity_alias as a where a.account_id = v_reader.account_id and a.confirmed
                   and (a.alias_key = memhouse.entity_key(p_name) or a.name_key = memhouse.entity_key(p_alias))) then
            perform memhouse._fail('MH010', 'One of the two names is itself merged already.');
        end if;
    end if;
    insert into memhouse.entity_alias as a (account_id, alias_key, name_key, confirmed)
    values (v_reader.account_id, memhouse.entity_key(p_alias), memhouse.entity_key(p_name), coalesce(p_confirmed, false))
    on conflict (account_id, alias_key, name_key) do update set confirmed = excluded.confirmed;
    perform memhouse._audit(v_reader.account_id, 'confirm_entity_alias', null, jsonb_build_object('confirmed', p_confirmed));
end
$$;
comment on function memhouse.confirm_entity_alias(text, text, boolean) is
'Confirms (or, with false, takes back) that an alias names an entity; the next rebuild_entities merges their mentions. Needs begin_internal. Errors: MH001, MH010, MH014.';
