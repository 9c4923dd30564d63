-- One hop from what the other strategies found: a lesson arrives with the incident that caused it and the decision
-- that contradicts it. Seeds are the head of the interleaved lists (expand_seeds of them); seed i weighs 1 / (1 + i).
--   typed relations     either direction, both ends admitted: weight * relation confidence
--   shared entities     statements that mention an entity of the seed, ubiquitous ones ignored: weight * 0.5 * share of
--                       the seed's idf; in the seed's own scope, or across scopes that are linked, both authorised; at most
--                       expand_per_seed a seed
-- A neighbour reached twice keeps its best score. Seeds themselves are not proposed: they are in the lists already.
-- Output: at most p_limit rows, best first. Definer because only memhouse_strategy may read the admissible views.
create or replace function memhouse.strategy_relation_expand(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate
language plpgsql stable parallel restricted security definer rows 50
set search_path = pg_catalog, pg_temp
-- Look-ups by key have one good plan, whatever the values. offset 0: each is one for every row it is made for, and never a
-- join of all that the account holds, which seems cheap where accounts are small.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_filters memhouse.filters := p_request.filters;
    v_account uuid := p_request.account_id;
    v_seeds uuid[] := memhouse._interleave(p_request.seeds, memhouse._setting_int('expand_seeds'));
    v_per_seed integer := memhouse._setting_int('expand_per_seed');
    v_audiences bigint[] := p_request.audiences;
    v_names text[];
    v_idf double precision[];
begin
    if v_seeds is null then
        return;
    end if;
    select array_agg(e.name_key), array_agg(e.idf) into v_names, v_idf
    from memhouse._rare_entities(
        array(select distinct m.name_key
              from unnest(v_seeds) as s (id)
              cross join lateral (
                  select n.name_key from memhouse.admissible_mention as n where n.account_id = v_account and n.knowledge_id = s.id offset 0) as m),
        p_request) as e;

    return query
    with seed as materialized (
        select s.id, 1 / (1 + s.place)::double precision as weight, k.scope_id
        from unnest(v_seeds) with ordinality as s (id, place)
        cross join lateral (
            select n.scope_id from memhouse.admissible_knowledge as n where n.account_id = v_account and n.knowledge_id = s.id offset 0) as k
    ),
    related as (
        select r.id, s.weight * r.confidence as score, r.type::text as via
        from seed as s
        cross join lateral (
            select case when n.from_id = s.id then n.to_id else n.from_id end as id, n.confidence, n.type
            from memhouse.admissible_relation as n
            where n.account_id = v_account and s.id in (n.from_id, n.to_id)
            offset 0
        ) as r
    ),
    seed_names as materialized (
        select s.id, s.weight, s.scope_id, m.name_key, v_idf[array_position(v_names, m.name_key)] as idf
        from seed as s
        cross join lateral (
            select n.name_key from memhouse.admissible_mention as n where n.account_id = v_account and n.knowledge_id = s.id offset 0) as m
        where m.name_key = any (v_names)
    ),
    mentioned as materialized (
        select t.name_key, m.knowledge_id, m.scope_id, m.confidence
        from (select distinct s.name_key from seed_names as s) as t
        cross join unnest(v_audiences) as a (audience)
        cross join lateral (
            select n.knowledge_id, n.scope_id, n.confidence from memhouse.admissible_mention as n
            where n.account_id = v_account and n.name_key = t.name_key and n.audience = a.audience and n.knowledge_id <> all (v_seeds)
            offset 0
        ) as m
    ),
    shared as (
        select n.neighbour as id, n.score, 'shared_entity' as via
        from (
            select p.neighbour, p.score, row_number() over (partition by p.seed order by p.score desc, p.neighbour) as place
            from (
                select s.id as seed, m.knowledge_id as neighbour,
                    s.weight * 0.5 * sum(s.idf * m.confidence) / (select sum(t.idf) from seed_names as t where t.id = s.id) as score
                from seed_names as s
                join mentioned as m using (name_key)
                where m.scope_id = s.scope_id or exists (
                    select from memhouse.admissible_scope_link as l
                    where l.account_id = v_account
                      and ((l.from_scope_id = s.scope_id and l.to_scope_id = m.scope_id)
                           or (l.to_scope_id = s.scope_id and l.from_scope_id = m.scope_id)))
                group by s.id, s.weight, m.knowledge_id
            ) as p
        ) as n
        where n.place <= v_per_seed
    ),
    best as (
        select distinct on (n.id) n.id, n.score, n.via
        from (select * from related union all select * from shared) as n
        where n.id <> all (v_seeds)
        order by n.id, n.score desc, n.via
    )
    select b.id, b.score, jsonb_build_object('via', b.via)
    from best as b
    cross join lateral (
        select from memhouse.admissible_knowledge as n
        where n.account_id = v_account and n.knowledge_id = b.id
          and memhouse.passes_filters(n.knowledge_id, n.kind, n.subject_peer_id, n.confidence, n.recorded_at, v_filters)
        offset 0
    ) as k
    order by b.score desc, b.id
    limit p_limit;
end
$$;
alter function memhouse.strategy_relation_expand(memhouse.request, integer) owner to memhouse_strategy;
comment on function memhouse.strategy_relation_expand(memhouse.request, integer) is
'Neighbours of the best candidates: typed relations (seed weight * relation confidence) and shared entities (half the seed weight * share of its idf), within a scope or across linked scopes when both are authorised. Seed i of the interleaved lists weighs 1 / (1 + i).';
