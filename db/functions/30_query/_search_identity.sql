-- The embedding identity that this account searches, checked against the one a vector claims to be of.
-- A vector of another identity is refused, never reused: its numbers mean something else. Error: MH013.
-- Definer because it names identities, which are the owner's.
create or replace function memhouse._search_identity(p_identity text)
returns memhouse.embedding_identity
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_identity memhouse.embedding_identity := memhouse._account_identity();
begin
    if v_identity.identity_id is null then
        perform memhouse._fail('MH013', 'No embedding identity is registered here.');
    elsif p_identity <> v_identity.identity_key then
        perform memhouse._fail('MH013', format('The vector is of %L; this account searches %L.', left(p_identity, 200), v_identity.identity_key));
    end if;
    return v_identity;
end
$$;
comment on function memhouse._search_identity(text) is 'The account''s embedding identity, or MH013 when a vector claims another. Private.';
