-- Sets or clears the instant from which a statement is hidden. Definer because dates are the owner's to change.
create or replace function memhouse.set_expiry(p_id uuid, p_expires_at timestamptz)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_row memhouse.knowledge := memhouse._changeable(p_id);
begin
    update memhouse.knowledge as k set expires_at = p_expires_at
    where k.account_id = v_row.account_id and k.knowledge_id = p_id;
    perform memhouse._audit(v_row.account_id, 'set_expiry', p_id, jsonb_build_object('expires_at', p_expires_at));
end
$$;
comment on function memhouse.set_expiry(uuid, timestamptz) is
'Sets the instant from which a statement is hidden on every path, also in reads of the past; null and infinity are never. A statement that had expired needs transition to active as well. Errors: MH001, MH014, MH015.';
