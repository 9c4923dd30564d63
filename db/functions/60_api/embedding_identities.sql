-- What an embedder must be to work with this account. Definer because identities are the owner's table.
create or replace function memhouse.embedding_identities()
returns table (
    identity_id integer, identity_key text, provider text, model text, version text, dimensions integer,
    query_prefix text, is_default boolean
)
language plpgsql stable security definer rows 2
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
begin
    perform memhouse._require_reader();
    return query
    select i.identity_id, i.identity_key, i.provider, i.model, i.version, i.dimensions, i.query_prefix,
        i.identity_id = (memhouse._account_identity()).identity_id
    from memhouse.embedding_identity as i
    order by i.identity_id;
end
$$;
comment on function memhouse.embedding_identities() is
'The registered embedding identities; is_default marks the one that the account of this posture searches. Error: MH001.';
