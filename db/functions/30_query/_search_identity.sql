-- The embedding identity that this account searches, checked against the one a vector claims to be of.
-- A vector of another identity is refused, never reused: its numbers mean something else. Error: MH013.
create or replace function memhouse._search_identity(p_identity text, p_own memhouse.embedding_identity default memhouse._account_identity())
returns memhouse.embedding_identity
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_own.identity_id is null then
        perform memhouse._fail('MH013', 'No embedding identity is registered here.');
    elsif p_identity <> p_own.identity_key then
        perform memhouse._fail('MH013', format('The vector is of %L; this account searches %L.', left(p_identity, 200), p_own.identity_key));
    end if;
    return p_own;
end
$$;
comment on function memhouse._search_identity(text, memhouse.embedding_identity) is 'The account''s embedding identity, or MH013 when a vector claims another. Private.';
