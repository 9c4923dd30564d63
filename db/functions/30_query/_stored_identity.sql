-- The embedding identity that a vector to be stored is of: any that is registered, so that the next one can be filled
-- beside the one in use; null names the account's. Error: MH013.
-- Definer because identities are the owner's table.
create or replace function memhouse._stored_identity(p_identity text)
returns memhouse.embedding_identity
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_identity memhouse.embedding_identity;
begin
    if p_identity is null then
        return memhouse._search_identity(null);
    end if;
    select i.* into v_identity from memhouse.embedding_identity as i where i.identity_key = p_identity;
    if not found then
        perform memhouse._fail('MH013', format('%L is not registered here.', left(p_identity, 200)));
    end if;
    return v_identity;
end
$$;
comment on function memhouse._stored_identity(text) is 'The registered identity of a vector to be stored, or MH013. Private.';
