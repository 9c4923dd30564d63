-- Writes the mentions of some statements, in read → work → write shape: names are extracted first (the slow part, no
-- locks), then the statements are locked, and old mentions are replaced by new ones. A failure leaves the index as it was.
-- A single capitalised word that only ever opens sentences is dropped: it is an artefact of writing, not a name. It is a
-- name if a peer is called so, or if another statement of the same audience has it elsewhere: one of those read here, or
-- (p_known) of those indexed before. Of the same audience, because whoever sees the one sees the other: the index of what
-- is seen tells nothing of what is hidden. Audience 0 is what nobody retrieves, of every scope: nothing there vouches for
-- anything else. Confidence tells the two apart: more than 0.5 is not (only) the first word of sentences.
-- A refresh goes forward only: a first word that a later statement, or one gone since, made a name is what it was until
-- its statement moves or the index is rebuilt.
-- Confirmed aliases are applied; a lone first word that names exactly one longer name is proposed as an alias of it.
-- Definer because the index is the owner's.
create or replace function memhouse._index_mentions(p_account_id uuid, p_ids uuid[], p_known boolean)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_found memhouse.entity_mention[];
    v_peers text[];
    v_names text[];
    v_mentions integer;
begin
    -- Held in a variable, not in a temporary table: a table of the caller's own making could carry triggers.
    select array_agg(row(p_account_id, n.name_key, null, n.knowledge_id, n.confidence)::memhouse.entity_mention) into v_found
    from (
        select coalesce(a.name_key, m.name_key) as name_key, k.knowledge_id, max(m.confidence) as confidence
        from memhouse.knowledge as k
        cross join lateral memhouse.extract_mentions(k.statement) as m
        left join memhouse.entity_alias as a on a.account_id = p_account_id and a.alias_key = m.name_key and a.confirmed
        where k.account_id = p_account_id and k.knowledge_id = any (p_ids) and k.lifecycle_state <> 'redacted'
        group by 1, 2
    ) as n;
    v_peers := array(
        select unnest(array[memhouse.entity_key(p.peer_key), split_part(memhouse.entity_key(p.display_name), ' ', 1)])
        from memhouse.peer as p where p.account_id = p_account_id);

    -- Locked, so that none changes its audience between being read here and the mention being there for the trigger to
    -- follow. Before any mention is, as who moves a statement locks it first and its mentions then; and in id order, as they
    -- do: so none waits for another in a circle.
    perform from memhouse.knowledge as k
    where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
    order by k.knowledge_id
    for share;
    delete from memhouse.entity_mention as m where m.account_id = p_account_id and m.knowledge_id = any (p_ids);
    -- A statement erased since it was read is no longer there to be indexed.
    with written as (
        insert into memhouse.entity_mention (account_id, name_key, audience, knowledge_id, confidence)
        select p_account_id, n.name_key, n.audience, n.knowledge_id, n.confidence
        from (
            select k.audience, f.name_key, k.knowledge_id, f.confidence,
                max(f.confidence) over (partition by f.name_key, k.audience, case k.audience when 0 then k.knowledge_id end) as best
            from unnest(v_found) as f
            join memhouse.knowledge as k on k.account_id = p_account_id and k.knowledge_id = f.knowledge_id
        ) as n
        where n.best > 0.5
           or n.name_key = any (v_peers)
           or p_known and n.audience <> 0 and exists (
               select from memhouse.entity_mention as m
               where m.account_id = p_account_id and m.name_key = n.name_key and m.audience = n.audience and m.confidence > 0.5)
        returning name_key
    )
    select count(*), array_agg(distinct w.name_key) into v_mentions, v_names from written as w;
    insert into memhouse.entity_indexed
    select k.account_id, k.knowledge_id from memhouse.knowledge as k
    where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
    on conflict do nothing;

    insert into memhouse.entity_alias (account_id, alias_key, name_key)
    select p_account_id, s.alias_key, min(s.name_key)
    from (
        select split_part(t.name_key, ' ', 1) as alias_key, t.name_key
        from unnest(v_names) as t (name_key) where t.name_key ~ '\s'
    ) as s
    where s.alias_key in (select t.name_key from unnest(v_names) as t (name_key))
    group by s.alias_key
    having count(*) = 1
    on conflict do nothing;
    return v_mentions;
end
$$;
comment on function memhouse._index_mentions(uuid, uuid[], boolean) is 'Replaces the mentions of some statements; returns their number. Private to rebuild_entities and refresh_entities.';
