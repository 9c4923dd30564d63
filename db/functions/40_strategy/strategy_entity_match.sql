-- Statements that mention the entities of the query: sum(idf * mention confidence) / sum(idf), times the statement's
-- confidence. idf is counted over admitted statements; ubiquitous entities are ignored (_rare_entities).
-- The entities of a query are the runs of one to four of its words that the mention index knows.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible views.
create or replace function memhouse.strategy_entity_match(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
-- Look-ups by key have one good plan, whatever the values. offset 0: as in _rare_entities.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_filters memhouse.filters := p_request.filters;
    v_account uuid := p_request.account_id;
    v_audiences bigint[] := p_request.audiences;
    v_names text[];
    v_idf double precision[];
begin
    select array_agg(e.name_key), array_agg(e.idf) into v_names, v_idf
    from memhouse._rare_entities(memhouse.entity_keys(p_request.query), p_request) as e;
    if v_names is null then
        return;
    end if;
    return query
    select m.knowledge_id,
        sum(m.confidence * v_idf[array_position(v_names, m.name_key)])
            / (select sum(i) from unnest(v_idf) as i) * max(m.statement_confidence),
        jsonb_build_object('entities', count(*))
    from unnest(v_names) as n (name)
    cross join unnest(v_audiences) as a (audience)
    cross join lateral (
        select e.* from memhouse.admissible_mention as e
        where e.account_id = v_account and e.name_key = n.name and e.audience = a.audience
          and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.statement_confidence, e.recorded_at, v_filters)
        offset 0
    ) as m
    group by m.knowledge_id
    order by 2 desc, 1
    limit p_limit;
end
$$;
alter function memhouse.strategy_entity_match(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_entity_match(memhouse.request, integer) is
'Statements that mention the query''s entities: sum(idf * mention confidence) / sum(idf) * confidence, idf over admitted statements, ubiquitous entities ignored.';
