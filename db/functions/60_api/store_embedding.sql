-- Stores or replaces the vector of a statement this posture can read and write.
-- Definer because writing goes through memhouse_api, under its policies.
create or replace function memhouse.store_embedding(p_id uuid, p_embedding @extschema:vector@.vector, p_identity text default null)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    if v_reader.write_scopes is null then
        perform memhouse._fail('MH014', 'This transaction began with begin_read.');
    elsif p_embedding is null then
        perform memhouse._fail('MH010', 'p_embedding is null.');
    elsif not memhouse._storable(p_id) then
        perform memhouse._fail('MH015', format('There is no statement %s.', coalesce(p_id::text, 'null')));
    end if;
    insert into memhouse.embedding as e (account_id, knowledge_id, identity_id, vec)
    select v_reader.account_id, p_id, i.identity_id, memhouse.checked_vector(p_embedding, i.dimensions)
    from memhouse._stored_identity(p_identity) as i
    on conflict (account_id, knowledge_id, identity_id) do update set vec = excluded.vec, embedded_at = now();
end
$$;
alter function memhouse.store_embedding(uuid, @extschema:vector@.vector, text) owner to memhouse_api;
comment on function memhouse.store_embedding(uuid, @extschema:vector@.vector, text) is
'Stores or replaces the vector of a statement that this write posture can see. p_identity: provider:model@version#dimensions, null trusts the vector to be of the account''s. Errors: MH001, MH010, MH012 to MH015.';
