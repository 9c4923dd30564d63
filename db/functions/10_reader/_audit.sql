-- Appends to the audit log in the transaction of the deed, so that neither exists without the other. The acting
-- credential is that of the posture, if one was begun. Detail names keys and states, never text or secrets.
-- Definer because the log is the owner's table and nobody else may write it.
create or replace function memhouse._audit(p_account_id uuid, p_action text, p_target_id uuid default null, p_detail jsonb default '{}')
returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
begin atomic
    insert into memhouse.audit_log (account_id, audit_id, credential_id, db_role, action, target_id, detail)
    values (coalesce(p_account_id, '00000000-0000-0000-0000-000000000000'), memhouse.uuid_v7(),
        (memhouse._reader()).credential_id, coalesce(nullif(current_setting('role'), 'none'), session_user),
        p_action, p_target_id, p_detail);
end;
comment on function memhouse._audit(uuid, text, uuid, jsonb) is 'Appends an entry to memhouse.audit_log. Private.';
