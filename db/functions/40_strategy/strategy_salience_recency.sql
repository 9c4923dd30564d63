-- What matters lately, for a read that asks nothing in particular:
-- confidence * (1 + ln(1 + corroboration)) * exp(-age / 30 days), age counted from recorded_at to the read.
-- Ranks the salience_rows most recent admitted statements: with a mean life of 30 days older ones cannot compete.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible view.
create or replace function memhouse.strategy_salience_recency(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 100
set search_path = pg_catalog, pg_temp
-- From the newest row of an audience on: one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_filters memhouse.filters := p_request.filters;
    v_account uuid := p_request.account_id;
    v_audiences bigint[] := p_request.audiences;
    v_rows integer := memhouse._setting_int('salience_rows');
begin
    return query
    select r.knowledge_id,
        r.confidence * (1 + ln(1 + r.corroboration))
            * exp(-greatest(extract(epoch from statement_timestamp() - r.recorded_at), 0)::double precision / (30 * 86400)),
        null::jsonb
    from (
        select n.*
        from unnest(v_audiences) as a (audience)
        cross join lateral (
            select k.knowledge_id, k.confidence, k.corroboration, k.recorded_at
            from memhouse.admissible_knowledge as k
            where k.account_id = v_account and k.audience = a.audience
              and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, v_filters)
            order by k.knowledge_id desc
            limit v_rows
        ) as n
        order by n.knowledge_id desc
        limit v_rows
    ) as r
    order by 2 desc, 1
    limit p_limit;
end
$$;
alter function memhouse.strategy_salience_recency(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_salience_recency(memhouse.request, integer) is
'Recent, well supported statements: confidence * (1 + ln(1 + corroboration)) * exp(-age / 30 days), over the salience_rows most recent admitted ones. Runs only for a blank query.';
