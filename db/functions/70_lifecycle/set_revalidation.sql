-- Sets or clears the date from which a statement is not believed until somebody says that it holds still.
-- Definer because dates are the owner's to change.
create or replace function memhouse.set_revalidation(p_id uuid, p_revalidate_at timestamptz)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_row memhouse.knowledge := memhouse._changeable(p_id);
begin
    -- A date in the past is now: what was believed until today was believed.
    update memhouse.knowledge as k set revalidate_at = case when p_revalidate_at < now() then now() else p_revalidate_at end
    where k.account_id = v_row.account_id and k.knowledge_id = p_id;
    perform memhouse._audit(v_row.account_id, 'set_revalidation', p_id, jsonb_build_object('revalidate_at', p_revalidate_at));
end
$$;
comment on function memhouse.set_revalidation(uuid, timestamptz) is
'Sets the date from which an active statement is hidden and needs revalidation; null and infinity are never. A date that had passed before counts as acted on: the statement then needs transition to active as well. Errors: MH001, MH014, MH015.';
