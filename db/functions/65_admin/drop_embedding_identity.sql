-- Forgets an identity with all its vectors and its index. Refused while an account searches it. Errors: MH010, MH013.
-- Definer because identities and vectors are the owner's. Returns how many vectors went.
create or replace function memhouse.drop_embedding_identity(p_identity_key text)
returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_identity memhouse.embedding_identity;
    v_vectors bigint;
begin
    lock table memhouse.embedding_identity in share row exclusive mode;
    v_identity := memhouse._stored_identity(coalesce(p_identity_key, ''));
    if exists (select from memhouse.embedding_status() as s where s.is_current and s.identity_key = p_identity_key and s.vectors > 0)
       or exists (select from memhouse.account as a where a.embedding_identity_id = v_identity.identity_id) then
        perform memhouse._fail('MH010', format('An account searches %s; switch it to another identity first.', p_identity_key));
    end if;
    delete from memhouse.model as m where m.identity_id = v_identity.identity_id;
    delete from memhouse.recall_document as d where d.identity_id = v_identity.identity_id;
    delete from memhouse.embedding as e where e.identity_id = v_identity.identity_id;
    get diagnostics v_vectors = row_count;
    delete from memhouse.embedding_identity as i where i.identity_id = v_identity.identity_id;
    execute format('drop index memhouse.embedding_hnsw_%s', v_identity.identity_id);
    perform memhouse._audit(null, 'drop_embedding_identity', null, jsonb_build_object('identity', v_identity.identity_key, 'vectors', v_vectors));
    return v_vectors;
end
$$;
comment on function memhouse.drop_embedding_identity(text) is
'Forgets an embedding identity with its index and every vector of it, and returns how many there were; refused while an account searches it. Errors: MH010, MH013.';
