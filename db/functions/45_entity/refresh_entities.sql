-- Reads statements into the mention index that are not in it yet, at most p_max_rows of them, oldest first: what the job
-- refresh_projections does. Definer because the index is the owner's. Needs begin_internal.
create or replace function memhouse.refresh_entities(p_max_rows integer default 10000)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_ids uuid[];
begin
    if v_reader.posture <> 'internal' then
        perform memhouse._fail('MH014', 'Refreshing an index is server-side work: begin_internal.');
    end if;
    v_ids := array(
        select k.knowledge_id from memhouse.knowledge as k
        where k.account_id = v_reader.account_id
          and not exists (select from memhouse.entity_indexed as i
                          where i.account_id = v_reader.account_id and i.knowledge_id = k.knowledge_id)
        order by k.knowledge_id
        limit p_max_rows);
    perform memhouse._index_mentions(v_reader.account_id, v_ids, true);
    return cardinality(v_ids);
end
$$;
comment on function memhouse.refresh_entities(integer) is
'Reads new statements of the account into the mention index, at most p_max_rows; returns how many were read. Needs begin_internal. Errors: MH001, MH014.';
