-- How many statements a strategy had to look at for a request, for explaining a read: of those this reader may see, and
-- no others. Null where that is not known, as in a scan of the vector index.
-- Definer because only memhouse_strategy may read the admissible views.
create or replace function memhouse._rows_read(p_strategy text, p_request memhouse.request)
returns bigint
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
-- Look-ups by key and by word have one good plan, whatever the values: the statistics of a word or a name are those of all.
set plan_cache_mode = force_generic_plan
as $$
declare
    v_terms tsquery := (p_request.analyzed).terms;
    v_names text[] := memhouse.entity_keys(p_request.query);
    v_filters memhouse.filters := p_request.filters;
    v_account uuid := p_request.account_id;
    v_audiences bigint[] := p_request.audiences;
begin
    return case
        when p_strategy = 'semantic' then (
            select count(*) from memhouse.admissible_embedding as e
            where e.account_id = v_account and e.knowledge_id = any (memhouse._admitted_ids(v_account, v_audiences, v_filters))
              and e.identity_id = p_request.identity_id)
        when p_strategy in ('lexical', 'temporal') then (
            select count(*)
            from memhouse.within_audiences(v_terms, v_audiences) as w (words)
            -- offset 0: by the index, piece by piece, and not as a join of all that the table holds.
            cross join lateral (
                select from memhouse.admissible_knowledge as k
                where memhouse._audience_words(k.audience, k.tsv) @@ w.words and k.tsv @@ v_terms
                  and (p_strategy = 'lexical' or k.relevant_from is not null or k.relevant_until is not null)
                  and memhouse.passes_filters(k.knowledge_id, k.kind, k.subject_peer_id, k.confidence, k.recorded_at, v_filters)
                offset 0
            ) as k)
        when p_strategy = 'entity_match' then (
            select count(distinct m.knowledge_id)
            from unnest(v_names) as n (name)
            cross join unnest(v_audiences) as a (audience)
            cross join lateral (
                select e.knowledge_id from memhouse.admissible_mention as e
                where e.account_id = v_account and e.name_key = n.name and e.audience = a.audience
                  and memhouse.passes_filters(e.knowledge_id, e.kind, e.subject_peer_id, e.statement_confidence, e.recorded_at, v_filters)
                offset 0
            ) as m)
    end;
end
$$;
alter function memhouse._rows_read(text, memhouse.request) owner to memhouse_strategy;
comment on function memhouse._rows_read(text, memhouse.request) is
'Admitted statements that a strategy had to look at, null where that is not known. Private to explain_search.';
