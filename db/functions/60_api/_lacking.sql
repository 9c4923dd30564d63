-- The work list of an embedder or of late interaction: statements this posture can read and, in a write posture, store for,
-- that have no vector of an identity, or no token vectors of a model; null of either is not asked about. In id order.
-- Audience by audience, as list_knowledge.
-- With custom plans, in which the half that is not asked about folds away.
-- Runs as memhouse_api, under the reader policy. Definer because vectors are not the reader's to see.
create or replace function memhouse._lacking(p_identity integer, p_model text, p_limit integer, p_after uuid)
returns table (id uuid, statement text)
language plpgsql stable security definer rows 100
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
set plan_cache_mode = force_custom_plan
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_account constant uuid := v_reader.account_id;
    v_all constant boolean := v_reader.posture = 'internal';
begin
    if p_limit is null or p_limit not between 1 and 10000 then
        perform memhouse._fail('MH010', format('p_limit is %s; it must be 1 to 10000.', coalesce(p_limit::text, 'null')));
    end if;
    return query
    select k.knowledge_id, k.statement
    from unnest(case when v_all then '{0}' else memhouse.reader_audiences() end) as a (audience)
    cross join lateral (
        select n.knowledge_id, n.statement
        from memhouse.knowledge as n
        where n.account_id = v_account and (v_all or n.audience = a.audience)
          and (v_reader.write_scopes is null or n.scope_id = any (v_reader.write_scopes))
          and (p_after is null or n.knowledge_id > p_after)
          and not exists (select from memhouse.embedding as e
                          where e.account_id = v_account and e.knowledge_id = n.knowledge_id and e.identity_id = p_identity)
          and not exists (select from memhouse.token_vectors as t
                          where t.account_id = v_account and t.knowledge_id = n.knowledge_id and t.model = p_model)
        order by n.knowledge_id
        limit p_limit
    ) as k
    order by k.knowledge_id
    limit p_limit;
end
$$;
alter function memhouse._lacking(integer, text, integer, uuid) owner to memhouse_api;
comment on function memhouse._lacking(integer, text, integer, uuid) is
'Statements visible to this posture without a vector or without token vectors, in id order. Private to unembedded and without_token_vectors.';
