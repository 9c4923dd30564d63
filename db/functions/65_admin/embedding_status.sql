-- How far each identity has got in each account. Definer because it counts rows of every scope.
create or replace function memhouse.embedding_status(p_account text default null)
returns table (account_key text, identity_key text, is_current boolean, vectors bigint, missing bigint, stale bigint)
language plpgsql stable security definer rows 10
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account_id constant uuid := case when p_account is not null then memhouse._account_id(p_account) end;
begin
    return query
    select a.account_key, i.identity_key,
        i.identity_id = coalesce(a.embedding_identity_id, min(i.identity_id) over ()),
        (select count(*) from memhouse.embedding as e where e.account_id = a.account_id and e.identity_id = i.identity_id),
        (select count(*) from memhouse.knowledge as k
         where k.account_id = a.account_id and k.lifecycle_state in ('active', 'provisional')
           and not exists (select from memhouse.embedding as e
                           where e.account_id = k.account_id and e.knowledge_id = k.knowledge_id and e.identity_id = i.identity_id)),
        (select count(*) from memhouse.recall_document as d
         join memhouse.knowledge as k on k.account_id = d.account_id and k.knowledge_id = d.knowledge_id
         where d.account_id = a.account_id and d.identity_id = i.identity_id and d.source_watermark <> k.changed_at)
    from memhouse.account as a
    cross join memhouse.embedding_identity as i
    where v_account_id is null or a.account_id = v_account_id
    order by a.account_key, i.identity_id;
end
$$;
comment on function memhouse.embedding_status(text) is
'Per account (null: all) and embedding identity: whether the account searches it, vectors stored, retrievable statements missing one, and recall documents that are stale (made from an older row; refresh_recall_documents makes them again). For administrators. Error: MH018.';
