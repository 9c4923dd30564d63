-- Metadata is an object, or it could not be merged and filtered later. Error: MH010.
create or replace function memhouse._checked_metadata(p_metadata jsonb)
returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if jsonb_typeof(coalesce(p_metadata, '{}')) <> 'object' then
        perform memhouse._fail('MH010', format('p_metadata is a JSON %s; it must be an object.', jsonb_typeof(p_metadata)));
    end if;
    return coalesce(p_metadata, '{}');
end
$$;
comment on function memhouse._checked_metadata(jsonb) is 'Metadata if it is a JSON object ({} for null), else MH010. Private.';
