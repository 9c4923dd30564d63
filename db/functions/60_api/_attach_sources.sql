-- Links a statement to its observations: _attach_all_sources for one statement. Error: MH015.
-- Definer because that is the owner's.
create or replace function memhouse._attach_sources(p_knowledge_id uuid, p_sources uuid[])
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform memhouse._attach_all_sources(array_fill(p_knowledge_id, array[cardinality(p_sources)]), p_sources);
end
$$;
comment on function memhouse._attach_sources(uuid, uuid[]) is 'Links a statement to its observations; MH015 for one that is not in a writable scope. Private to remember.';
