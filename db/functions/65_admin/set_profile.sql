-- Sets a profile for an account, or for one of its scopes and all below it. Keys that are not given are taken from
-- what the profile is now at that place: its own, else the account's, else the server's of that name, else balanced.
-- Definer because profiles are the owner's table.
create or replace function memhouse.set_profile(p_account text, p_scope text, p_name text, p_config jsonb)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account_id uuid := memhouse._account_id(p_account);
    v_scope memhouse.scope;
    v_scope_id uuid := '00000000-0000-0000-0000-000000000000';
    v_base jsonb;
    v_version integer;
begin
    if p_scope is not null then
        v_scope := memhouse._scope(v_account_id, p_scope);
        v_scope_id := v_scope.scope_id;
    end if;
    select f.config into v_base
    from memhouse.profile as f
    left join memhouse.scope as own on own.account_id = f.account_id and own.scope_id = f.scope_id
    where f.account_id in (v_account_id, '00000000-0000-0000-0000-000000000000') and f.profile_name in (p_name, 'balanced')
      and (own.scope_id is null or own.scope_id = any (v_scope.path))
    order by f.profile_name = p_name desc, f.account_id = v_account_id desc, cardinality(own.path) desc nulls last
    limit 1;
    if jsonb_typeof(coalesce(p_config, '{}')) <> 'object' then
        perform memhouse._fail('MH020', 'A profile is a JSON object.');
    end if;
    insert into memhouse.profile as f (account_id, scope_id, profile_name, config)
    values (v_account_id, v_scope_id, memhouse._checked_text(p_name, 'p_name', 100), memhouse._checked_profile(v_base || coalesce(p_config, '{}')))
    on conflict (account_id, scope_id, profile_name) do update
    set config = excluded.config, updated_at = now(),
        version = f.version + (f.config <> excluded.config)::integer
    returning f.version into v_version;
    perform memhouse._audit(v_account_id, 'set_profile', null, jsonb_build_object('profile', p_name, 'scope', p_scope, 'version', v_version));
    return v_version;
end
$$;
comment on function memhouse.set_profile(text, text, text, jsonb) is
'Sets a retrieval profile for a scope and all below it (null scope: the whole account) and returns its version. p_config, over what is in force there now: strategies (object of name and weight, 0 to 1000, at least one above 0), rrf_k (rank constant, 0 to 1000), depth (rows a strategy proposes, 1 to 1000), deadline_ms, rerank_head (0 is no reranking), reserved_rerank_ms, rerank_weight (0 to 1), reranker (cross_encoder, late_interaction or cascade), signals (object of recency, authority, provenance, status, 0 to 0.5 each). Errors: MH007, MH010, MH018, MH020.';
