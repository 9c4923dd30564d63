-- Appends an entry for each of many targets, as _audit does for one; p_details in step with p_targets.
-- Definer because the log is the owner's table and nobody else may write it.
create or replace function memhouse._audit_all(p_account_id uuid, p_action text, p_targets uuid[], p_details jsonb[])
returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
begin atomic
    insert into memhouse.audit_log (account_id, audit_id, credential_id, db_role, action, target_id, detail)
    select p_account_id, memhouse.uuid_v7(), (select (memhouse._reader()).credential_id),
        coalesce(nullif(current_setting('role'), 'none'), session_user), p_action, t.id, coalesce(t.detail, '{}')
    from unnest(p_targets, p_details) as t (id, detail);
end;
comment on function memhouse._audit_all(uuid, text, uuid[], jsonb[]) is 'Appends an entry to memhouse.audit_log for each target. Private.';
