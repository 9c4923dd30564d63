-- Runs one strategy and returns its list, best first (score, then id), as fusion wants it. The dispatch is written out so
-- that each call keeps its plan.
create or replace function memhouse._propose(p_strategy text, p_request memhouse.request, p_limit integer)
returns memhouse.listed_candidate[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_list memhouse.listed_candidate[];
begin
    case p_strategy
        when 'semantic' then
            select array_agg(row(p_strategy, c.id, c.score, c.detail)::memhouse.listed_candidate order by c.score desc, c.id) into v_list
            from memhouse.strategy_semantic(p_request, p_limit) as c;
        when 'lexical' then
            select array_agg(row(p_strategy, c.id, c.score, c.detail)::memhouse.listed_candidate order by c.score desc, c.id) into v_list
            from memhouse.strategy_lexical(p_request, p_limit) as c;
        when 'temporal' then
            select array_agg(row(p_strategy, c.id, c.score, c.detail)::memhouse.listed_candidate order by c.score desc, c.id) into v_list
            from memhouse.strategy_temporal(p_request, p_limit) as c;
        when 'salience_recency' then
            select array_agg(row(p_strategy, c.id, c.score, c.detail)::memhouse.listed_candidate order by c.score desc, c.id) into v_list
            from memhouse.strategy_salience_recency(p_request, p_limit) as c;
        when 'entity_match' then
            select array_agg(row(p_strategy, c.id, c.score, c.detail)::memhouse.listed_candidate order by c.score desc, c.id) into v_list
            from memhouse.strategy_entity_match(p_request, p_limit) as c;
        when 'relation_expand' then
            select array_agg(row(p_strategy, c.id, c.score, c.detail)::memhouse.listed_candidate order by c.score desc, c.id) into v_list
            from memhouse.strategy_relation_expand(p_request, p_limit) as c;
        when 'semantic_lanes' then
            select array_agg(row(p_strategy, c.id, c.score, c.detail)::memhouse.listed_candidate order by c.score desc, c.id) into v_list
            from memhouse.strategy_semantic_lanes(p_request, p_limit) as c;
    end case;
    return v_list;
end
$$;
alter function memhouse._propose(text, memhouse.request, integer) owner to memhouse_api;
comment on function memhouse._propose(text, memhouse.request, integer) is 'The candidates of one strategy. Private to the read API. Definer because only the API may call strategies.';
