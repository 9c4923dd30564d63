-- Browsing what a reader may see, newest first. Ids are time-ordered, so the last id of a page is the key of the next.
-- Definer because peers are named as memhouse_api; the rows are read under the reader policy, with nothing in between.
-- A page of each audience of the reader, and of these the newest: what is other people's is not passed by. Server-side work
-- sees all of the account and goes through it in one.
-- plpgsql with custom plans, as the filters fold away.
create or replace function memhouse.list_knowledge(p_filters jsonb default '{}', p_after uuid default null, p_limit integer default 50)
returns setof memhouse.knowledge_row
language plpgsql stable parallel restricted security definer rows 50
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
set plan_cache_mode = force_custom_plan
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_all constant boolean := v_reader.posture = 'internal';
    v_filters memhouse.filters := memhouse.parse_filters(p_filters);
begin
    if p_limit is null or p_limit not between 1 and 100 then
        perform memhouse._fail('MH010', format('p_limit is %s; it must be 1 to 100.', coalesce(p_limit::text, 'null')));
    end if;
    return query
    select k.knowledge_id, k.statement, k.kind::text, p.peer_key, s.scope_key, k.sensitivity::text, k.target_level::text,
        k.lifecycle_state::text, k.confidence, k.relevant_from, k.relevant_until, k.recorded_at, k.expires_at,
        array(select ks.observation_id from memhouse.admissible_source as ks
              where ks.account_id = k.account_id and ks.knowledge_id = k.knowledge_id order by ks.observation_id),
        k.metadata
    from unnest(case when v_all then '{0}' else memhouse.reader_audiences() end) as a (audience)
    cross join lateral (
        select n.* from memhouse.knowledge as n
        where n.account_id = v_reader.account_id and (v_all or n.audience = a.audience)
          and (p_after is null or n.knowledge_id < p_after)
          and memhouse.passes_filters(n.knowledge_id, n.kind, n.subject_peer_id, n.confidence, n.recorded_at, v_filters)
        order by n.knowledge_id desc
        limit p_limit
    ) as k
    join memhouse.scope as s on s.account_id = k.account_id and s.scope_id = k.scope_id
    left join memhouse.peer as p on p.account_id = k.account_id and p.peer_id = k.subject_peer_id
    order by k.knowledge_id desc
    limit p_limit;
end
$$;
alter function memhouse.list_knowledge(jsonb, uuid, integer) owner to memhouse_api;
comment on function memhouse.list_knowledge(jsonb, uuid, integer) is
'What the reader of this transaction may see, newest first. p_filters: see parse_filters. p_after: the id of the last row of the page before; null is the first page. p_limit: 1 to 100, default 50. Errors: MH001, MH009, MH010.';
