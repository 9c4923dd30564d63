-- The observations that a filter by source names, by id or by source key, as far as this posture may read them. The posture is
-- taken apart before it is looked whether there are any, so that a hidden one takes no longer than none.
-- Definer because row security would ask for the parts of the posture only once a row is found.
create or replace function memhouse._observations_named(p_source text)
returns uuid[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    return array(
        select o.observation_id from memhouse.observation as o
        where o.account_id = v_reader.account_id
          and (o.source_key = p_source
              or o.observation_id = case when p_source ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_source::uuid end)
          and memhouse._admits_observation(v_reader, o));
end
$$;
comment on function memhouse._observations_named(text) is 'Ids of the visible observations with an id or a source key. Private to parse_filters.';
