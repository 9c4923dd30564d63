-- Compares every eligible statement: judges them, unless that was done (_judge_once), and goes from their ids to their
-- vectors, in one scan of the key. Written without the cast to the identity's dimensions, so that the vector index cannot be
-- used: exact, and no filter can starve it.
-- Output: at most p_limit rows, nearest first. Definer because it reads vectors as memhouse_gate, beside the view: of
-- statements that passed it, and no others.
create or replace function memhouse._nearest_exact(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
-- From the reader's statements to their vectors by key: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_embedding @extschema:vector@.halfvec := p_request.embedding;
    v_account uuid := p_request.account_id;
    v_ids uuid[] := coalesce(p_request.admitted, memhouse._admitted_ids(p_request.account_id, p_request.audiences, p_request.filters));
begin
    return query
    select n.knowledge_id, 1 - n.distance, null::jsonb
    from (
        select e.knowledge_id, e.vec operator(@extschema:vector@.<=>) v_embedding as distance
        from memhouse.embedding as e
        where e.account_id = v_account and e.knowledge_id = any (v_ids) and e.identity_id = p_request.identity_id
        order by distance
        limit p_limit
    ) as n;
end
$$;
alter function memhouse._nearest_exact(memhouse.request, integer) owner to memhouse_gate;
comment on function memhouse._nearest_exact(memhouse.request, integer) is 'The nearest statements by comparing all eligible ones. Private to the semantic strategy.';
