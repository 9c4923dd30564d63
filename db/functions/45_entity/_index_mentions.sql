-- Writes the mentions of some statements, in read → work → write shape: names are extracted first (the slow part, no
-- locks), then the statements are locked, and old mentions are replaced by new ones. A failure leaves the index as it was.
-- A single capitalised word that only ever opens sentences is dropped, unless it is a peer's name or (p_known) a name
-- the index has already: it is an artefact of writing, not a name. Confirmed aliases are applied; a lone first word that
-- names exactly one longer name is proposed as an alias of it.
-- Definer because the index is the owner's.
create or replace function memhouse._index_mentions(p_account_id uuid, p_ids uuid[], p_known boolean)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_found memhouse.entity_mention[];
    v_mentions integer;
begin
    -- Held in a variable, not in a temporary table: a table of the caller's own making could carry triggers.
    select array_agg(row(p_account_id, n.name_key, null, n.knowledge_id, n.confidence)::memhouse.entity_mention) into v_found
    from (
        select coalesce(a.name_key, m.name_key) as name_key, k.knowledge_id, max(m.confidence) as confidence,
            bool_and(bool_and(m.sentence_initial)) over (partition by coalesce(a.name_key, m.name_key)) as only_initial
        from memhouse.knowledge as k
        cross join lateral memhouse.extract_mentions(k.statement) as m
        left join memhouse.entity_alias as a on a.account_id = p_account_id and a.alias_key = m.name_key and a.confirmed
        where k.account_id = p_account_id and k.knowledge_id = any (p_ids) and k.lifecycle_state <> 'redacted'
        group by 1, 2
    ) as n
    where not n.only_initial
       or p_known and exists (select from memhouse.entity_mention as m where m.account_id = p_account_id and m.name_key = n.name_key)
       or exists (select from memhouse.peer as p
                  where p.account_id = p_account_id
                    and n.name_key in (memhouse.entity_key(p.peer_key), split_part(memhouse.entity_key(p.display_name), ' ', 1)));

    -- Locked, so that none changes its audience between being read here and the mention being there for the trigger to
    -- follow. Before any mention is, as who moves a statement locks it first and its mentions then; and in id order, as they
    -- do: so none waits for another in a circle.
    perform from memhouse.knowledge as k
    where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
    order by k.knowledge_id
    for share;
    delete from memhouse.entity_mention as m where m.account_id = p_account_id and m.knowledge_id = any (p_ids);
    -- A statement erased since it was read is no longer there to be indexed.
    insert into memhouse.entity_mention (account_id, name_key, audience, knowledge_id, confidence)
    select p_account_id, f.name_key, k.audience, k.knowledge_id, f.confidence
    from unnest(v_found) as f
    join memhouse.knowledge as k on k.account_id = p_account_id and k.knowledge_id = f.knowledge_id;
    get diagnostics v_mentions = row_count;
    insert into memhouse.entity_indexed
    select k.account_id, k.knowledge_id from memhouse.knowledge as k
    where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
    on conflict do nothing;

    insert into memhouse.entity_alias (account_id, alias_key, name_key)
    select p_account_id, s.alias_key, min(s.name_key)
    from (
        select distinct split_part(t.name_key, ' ', 1) as alias_key, t.name_key
        from unnest(v_found) as t where t.name_key ~ '\s'
    ) as s
    where s.alias_key in (select t.name_key from unnest(v_found) as t)
    group by s.alias_key
    having count(*) = 1
    on conflict do nothing;
    return v_mentions;
end
$$;
comment on function memhouse._index_mentions(uuid, uuid[], boolean) is 'Replaces the mentions of some statements; returns their number. Private to rebuild_entities and refresh_entities.';
