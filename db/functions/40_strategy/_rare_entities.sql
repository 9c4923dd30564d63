-- Entities by name with their weight for this reader: idf = ln(1 + N / df), N and df counted over admitted statements
-- only, so a hidden statement changes no score. Left out are those in more than entity_ceiling_percent of the admitted
-- statements, or in more than common_rows; in a corpus of fewer than twenty nothing is called ubiquitous. Counting stops
-- where it can no longer matter.
-- Where few statements are admitted they are judged once, for the whole read if that was done (_judge_once), and mentions
-- matched with them; where many are, mentions are judged one by one, as far as the ceiling.
-- Definer because it looks names up among mentions as memhouse_gate, beside the view; what it counts passed the views.
create or replace function memhouse._rare_entities(p_names text[], p_request memhouse.request)
returns table (name_key text, idf double precision)
language plpgsql stable parallel restricted security definer rows 5
set search_path = pg_catalog, pg_temp
-- Look-ups by key have one good plan, whatever the values. offset 0 or limit: name by name and audience by
-- audience, or until PostgreSQL 16 the planner may read a name in all audiences, and in any look for it in all mentions.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_account uuid := p_request.account_id;
    v_audiences bigint[] := p_request.audiences;
    v_percent integer := memhouse._setting_int('entity_ceiling_percent');
    v_common integer := memhouse._setting_int('common_rows');
    v_names text[];
    v_enough integer := v_common * 100 / greatest(v_percent, 1);
    v_admitted uuid[];
    v_count integer;
    v_ceiling integer;
begin
    -- Most questions name nothing that is known: then there is nothing to weigh.
    v_names := array(
        select n.name
        from unnest(p_names) as n (name)
        cross join lateral (
            select
            from unnest(v_audiences) as a (audience)
            cross join lateral (
                select from memhouse.entity_mention as m
                where m.account_id = v_account and m.name_key = n.name and m.audience = a.audience limit 1) as m
            limit 1
        ) as known);
    if v_names = '{}' then
        return;
    end if;
    v_admitted := coalesce(p_request.admitted[:v_enough], memhouse._admitted_ids(v_account, v_audiences, null, v_enough));
    v_count := cardinality(v_admitted);
    v_ceiling := least(greatest(v_count * v_percent / 100, 5), v_common);
    return query
    select f.name, ln(1 + v_count::double precision / f.df)
    from (
        select n.name, count(*) as df
        from unnest(v_names) as n (name)
        cross join unnest(v_audiences) as a (audience)
        cross join lateral (
            select e.knowledge_id from memhouse.entity_mention as e
            where e.account_id = v_account and e.name_key = n.name and e.audience = a.audience offset 0) as m
        -- coalesce changes nothing but that it is looked up in a hash table and not joined.
        where v_count < v_enough and coalesce(m.knowledge_id in (select a.id from unnest(v_admitted) as a (id)), false)
        group by n.name
        union all
        select n.name, b.df
        from unnest(v_names) as n (name)
        cross join lateral (
            select count(*) as df
            from (
                select
                from unnest(v_audiences) as a (audience)
                cross join lateral (
                    select from memhouse.admissible_mention as e
                    where e.account_id = v_account and e.name_key = n.name and e.audience = a.audience offset 0) as m
                limit v_ceiling + 1
            ) as bounded
        ) as b
        where v_count = v_enough
    ) as f
    where f.df between 1 and v_ceiling;
end
$$;
alter function memhouse._rare_entities(text[], memhouse.request) owner to memhouse_gate;
comment on function memhouse._rare_entities(text[], memhouse.request) is
'The telling entities among some names, with idf = ln(1 + N / df) over admitted statements. Private to the strategies.';
