-- Stores or replaces the token vectors of a statement this posture can read and write.
-- Definer because writing goes through memhouse_api, under its policies.
create or replace function memhouse.store_token_vectors(p_id uuid, p_model text, p_bits bytea)
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
    elsif coalesce(octet_length(p_bits), 0) not between 1 and 262144 then
        perform memhouse._fail('MH012', 'p_bits is empty or longer than 262144 bytes.');
    elsif not memhouse._storable(p_id) then
        perform memhouse._fail('MH015', format('There is no statement %s.', coalesce(p_id::text, 'null')));
    end if;
    insert into memhouse.token_vectors as t (account_id, knowledge_id, model, bits)
    values (v_reader.account_id, p_id, memhouse._checked_text(p_model, 'p_model', 200), p_bits)
    on conflict (account_id, knowledge_id, model) do update set bits = excluded.bits;
end
$$;
alter function memhouse.store_token_vectors(uuid, text, bytea) owner to memhouse_api;
comment on function memhouse.store_token_vectors(uuid, text, bytea) is
'Stores or replaces the token vectors of a statement for late interaction: p_bits holds the sign of each dimension, token by token; p_model is model@version. Errors: MH001, MH010, MH012, MH014, MH015.';
