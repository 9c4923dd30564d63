-- Removes statements of an account for good: rows, vectors, projections, mentions, relations, promotions, history and
-- source links go with the row, all in this transaction; a tombstone without content stays.
-- Observations that nothing else rests on go too: they are where the text came from, and erasing only the extract would
-- leave it readable. Names that only these statements mentioned are forgotten as aliases.
-- Definer because only the owner may delete.
create or replace function memhouse._erase(p_account_id uuid, p_ids uuid[], p_keep_sources boolean)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_by constant uuid := (memhouse._reader()).credential_id;
    v_sources uuid[];
    v_names text[];
begin
    select array_agg(distinct s.observation_id) into v_sources
    from memhouse.knowledge_source as s where s.account_id = p_account_id and s.knowledge_id = any (p_ids);
    select array_agg(distinct m.name_key) into v_names
    from memhouse.entity_mention as m where m.account_id = p_account_id and m.knowledge_id = any (p_ids);

    with erased as (
        delete from memhouse.knowledge as k
        where k.account_id = p_account_id and k.knowledge_id = any (p_ids)
        returning k.knowledge_id
    )
    insert into memhouse.tombstone (account_id, id, erased_by) select p_account_id, e.knowledge_id, v_by from erased as e;

    if not p_keep_sources then
        -- Locked before they are looked at, so that a citation made meanwhile is seen by the next statement.
        perform from memhouse.observation as o
        where o.account_id = p_account_id and o.observation_id = any (v_sources)
        order by o.observation_id
        for update;
        with erased as (
            delete from memhouse.observation as o
            where o.account_id = p_account_id and o.observation_id = any (v_sources)
              and not exists (select from memhouse.knowledge_source as s
                              where s.account_id = p_account_id and s.observation_id = o.observation_id)
            returning o.observation_id
        )
        insert into memhouse.tombstone (account_id, id, erased_by) select p_account_id, e.observation_id, v_by from erased as e;
    end if;

    delete from memhouse.entity_alias as a
    where a.account_id = p_account_id and a.name_key = any (v_names)
      and not exists (select from memhouse.entity_mention as m where m.account_id = p_account_id and m.name_key = a.name_key);
end
$$;
comment on function memhouse._erase(uuid, uuid[], boolean) is
'Removes statements with all that was made of them, and the observations that nothing else rests on. Private to erase and erase_peer.';
