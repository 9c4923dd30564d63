-- Makes an account search another identity, at once and for every read that begins from then on. Refused while
-- retrievable statements lack a vector of it, or semantic search would quietly lose them. Errors: MH010, MH013, MH018.
-- Definer because accounts and identities are the owner's tables.
create or replace function memhouse.switch_embedding_identity(p_account text, p_identity_key text, p_incomplete boolean default false)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account_id constant uuid := memhouse._account_id(p_account);
    v_identity constant memhouse.embedding_identity := memhouse._stored_identity(coalesce(p_identity_key, ''));
    v_missing bigint;
begin
    perform from memhouse.account as a where a.account_id = v_account_id for update;
    select s.missing into v_missing from memhouse.embedding_status(p_account) as s where s.identity_key = p_identity_key;
    if v_missing > 0 and p_incomplete is not true then
        perform memhouse._fail('MH010', format('%s statements have no vector of %s yet; embed them first, or pass p_incomplete.',
            v_missing, v_identity.identity_key));
    end if;
    update memhouse.account as a set embedding_identity_id = v_identity.identity_id where a.account_id = v_account_id;
    perform memhouse._audit(v_account_id, 'switch_embedding_identity', null,
        jsonb_build_object('identity', v_identity.identity_key, 'missing', v_missing));
end
$$;
comment on function memhouse.switch_embedding_identity(text, text, boolean) is
'Makes an account search the vectors of another registered identity, atomically; vectors of the old one stay until drop_embedding_identity. Refused while retrievable statements lack a vector of it, unless p_incomplete. Errors: MH010, MH013, MH018.';
