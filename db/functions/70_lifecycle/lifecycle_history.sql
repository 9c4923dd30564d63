-- The changes of a statement's state, oldest first. For those who may change it, since a reason may say more than the
-- statement. Definer because the history is the owner's.
create or replace function memhouse.lifecycle_history(p_id uuid)
returns table (from_state text, to_state text, effective_at timestamptz, changed_at timestamptz, credential text, db_role name, reason text)
language plpgsql volatile security definer rows 5
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_row memhouse.knowledge := memhouse._changeable(p_id);
begin
    return query
    select c.from_state::text, c.to_state::text, c.effective_at, c.changed_at, r.credential_name, c.db_role, c.reason
    from memhouse.lifecycle_change as c
    left join memhouse.credential as r on r.account_id = c.account_id and r.credential_id = c.changed_by
    where c.account_id = v_row.account_id and c.knowledge_id = p_id
    order by c.change_id;
end
$$;
comment on function memhouse.lifecycle_history(uuid) is
'How a statement came to its state: each change with its instant in belief time, when it was made, by which credential and database role, and why; oldest first. For those who may change the statement. Errors: MH001, MH014, MH015.';
