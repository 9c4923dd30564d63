-- Metadata is an object, or it could not be merged and filtered later. Error: MH010. Inlined where its argument is a column
-- or a variable.
create or replace function memhouse._checked_metadata(p_metadata jsonb)
returns jsonb
language sql stable parallel restricted
return case
    when p_metadata is null then '{}'
    when jsonb_typeof(p_metadata) = 'object' then p_metadata
    when memhouse._fail('MH010', format('p_metadata is a JSON %s; it must be an object.', jsonb_typeof(p_metadata))) then null
end;
comment on function memhouse._checked_metadata(jsonb) is 'Metadata if it is a JSON object ({} for null), else MH010. Private.';
