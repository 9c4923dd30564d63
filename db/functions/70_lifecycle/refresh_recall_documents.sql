-- Brings the recall projection of an account up to date: documents are made for embedded statements that have none or
-- an outdated one, and removed where the statement is not retrievable any more. Bounded, so that a job can be brief.
-- The operation is metadata.operation of the statement; without one, a statement with a derived_from relation is a
-- deduction and any other an extraction. Deductions and consolidations make the derived lane.
-- Definer because the projection is the owner's. Needs begin_internal.
create or replace function memhouse.refresh_recall_documents(p_max_rows integer default 10000)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_changed integer;
begin
    if v_reader.posture <> 'internal' then
        perform memhouse._fail('MH014', 'Refreshing a projection is server-side work: begin_internal.');
    end if;
    delete from memhouse.recall_document as d
    using memhouse.knowledge as k
    where d.account_id = v_reader.account_id and k.account_id = d.account_id and k.knowledge_id = d.knowledge_id
      and k.lifecycle_state not in ('active', 'provisional');
    insert into memhouse.recall_document as d (account_id, knowledge_id, identity_id, lane, operation, vec, source_watermark)
    select k.account_id, k.knowledge_id, e.identity_id,
        case when o.operation in ('deduction', 'consolidation') then 'derived' else 'direct' end, o.operation, e.vec, k.changed_at
    from memhouse.knowledge as k
    join memhouse.embedding as e on e.account_id = k.account_id and e.knowledge_id = k.knowledge_id
    left join memhouse.recall_document as old
        on old.account_id = k.account_id and old.knowledge_id = k.knowledge_id and old.identity_id = e.identity_id
    cross join lateral (select coalesce(
        k.metadata ->> 'operation',
        case when exists (select from memhouse.relation as r
                          where r.account_id = k.account_id and r.from_id = k.knowledge_id and r.type = 'derived_from')
             then 'deduction' else 'extraction' end) as operation) as o
    where k.account_id = v_reader.account_id and k.lifecycle_state in ('active', 'provisional')
      and (old.knowledge_id is null or old.source_watermark <> k.changed_at or old.operation <> o.operation)
    order by k.knowledge_id
    limit p_max_rows
    on conflict (account_id, knowledge_id, identity_id) do update
    set lane = excluded.lane, operation = excluded.operation, vec = excluded.vec, source_watermark = excluded.source_watermark;
    get diagnostics v_changed = row_count;
    return v_changed;
end
$$;
comment on function memhouse.refresh_recall_documents(integer) is
'Brings the recall documents of the account (minimal profile) up to date with knowledge and vectors, at most p_max_rows of them; returns how many were made or renewed. Needs begin_internal. Errors: MH001, MH014.';
