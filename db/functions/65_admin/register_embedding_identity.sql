-- A vector space and its index. The first one registered is the one that accounts search.
-- Definer because identities and the vector table are the owner's. Not concurrent: an index cannot be built
-- concurrently inside a function; while vectors are few this takes no time, and it is the first thing to do.
create or replace function memhouse.register_embedding_identity(
    p_provider text, p_model text, p_version text, p_dimensions integer, p_query_prefix text default ''
)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_id integer;
begin
    if p_dimensions is null or p_dimensions not between 1 and 4000 then
        perform memhouse._fail('MH010', format('p_dimensions is %s; it must be 1 to 4000.', coalesce(p_dimensions::text, 'null')));
    end if;
    lock table memhouse.embedding_identity in share row exclusive mode;
    select i.identity_id into v_id from memhouse.embedding_identity as i
    where i.provider = p_provider and i.model = p_model and i.version = p_version and i.dimensions = p_dimensions;
    if found then
        return v_id;
    end if;
    select coalesce(max(i.identity_id), 0) + 1 into v_id from memhouse.embedding_identity as i;
    insert into memhouse.embedding_identity (identity_id, provider, model, version, dimensions, query_prefix)
    values (v_id, memhouse._checked_text(p_provider, 'p_provider', 200), memhouse._checked_text(p_model, 'p_model', 200),
        memhouse._checked_text(p_version, 'p_version', 200), p_dimensions, coalesce(p_query_prefix, ''));
    execute format(
        'create index embedding_hnsw_%1$s on memhouse.embedding using hnsw ((vec::@extschema:vector@.halfvec(%2$s)) @extschema:vector@.halfvec_cosine_ops) with (ef_construction = 128) where identity_id = %1$s',
        v_id, p_dimensions);
    perform memhouse._audit(null, 'register_embedding_identity', null, jsonb_build_object('identity_id', v_id));
    return v_id;
end
$$;
comment on function memhouse.register_embedding_identity(text, text, text, integer, text) is
'Registers a vector space and builds its HNSW index; returns its id, the same for the same four values. p_dimensions: 1 to 4000. p_query_prefix: what an embedder puts before queries only. The first identity registered is the one accounts search. Error: MH010.';
