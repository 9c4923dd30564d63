-- The embedding identity that an account, of this posture if none is named, searches: its own, else the first one registered; no row
-- when none is. Definer because identities and accounts are the owner's tables.
create or replace function memhouse._account_identity(p_account_id uuid default memhouse.reader_account())
returns memhouse.embedding_identity
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_identity memhouse.embedding_identity;
begin
    select i.* into v_identity
    from memhouse.embedding_identity as i
    left join memhouse.account as a on a.account_id = p_account_id
    where a.embedding_identity_id is null or i.identity_id = a.embedding_identity_id
    order by i.identity_id
    limit 1;
    return v_identity;
end
$$;
comment on function memhouse._account_identity(uuid) is 'The embedding identity that an account searches, or null. Private.';
