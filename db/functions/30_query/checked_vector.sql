-- A vector made ready for its identity: exact dimensions, finite, not zero; normalised, so that halfvec holds it
-- without overflow and cosine distance is unchanged. Error: MH012.
create or replace function memhouse.checked_vector(p_vector @extschema:vector@.vector, p_dimensions integer)
returns @extschema:vector@.halfvec
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if @extschema:vector@.vector_dims(p_vector) <> p_dimensions then
        perform memhouse._fail('MH012', format('The vector has %s dimensions; its identity has %s.',
            @extschema:vector@.vector_dims(p_vector), p_dimensions));
    elsif @extschema:vector@.vector_norm(p_vector) = 0 then
        perform memhouse._fail('MH012', 'The vector is all zero: it has no direction to compare.');
    end if;
    return @extschema:vector@.l2_normalize(p_vector)::@extschema:vector@.halfvec;
end
$$;
comment on function memhouse.checked_vector(@extschema:vector@.vector, integer) is
'A vector checked against the dimensions of its identity and normalised to length 1. Error: MH012 for another dimension or a zero vector.';
