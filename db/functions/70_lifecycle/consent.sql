-- The subject's recorded consent, and with it the promotion. Only a write posture can give it whose credential has the
-- subject for its own peer; naming a peer in a read gives no say over it.
-- Definer because levels and promotions are the owner's to write.
create or replace function memhouse.consent(p_id uuid)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_row memhouse.knowledge := memhouse._own_statement(p_id);
    v_level memhouse.target_level;
begin
    update memhouse.promotion as p
    set state = 'consented', decided_by = (memhouse._reader()).credential_id, decided_at = now()
    where p.account_id = v_row.account_id and p.knowledge_id = p_id and p.state = 'proposed'
    returning p.target_level into v_level;
    if not found then
        perform memhouse._fail('MH016', 'No promotion of the statement waits for consent.');
    end if;
    update memhouse.knowledge as k set target_level = v_level
    where k.account_id = v_row.account_id and k.knowledge_id = p_id;
    perform memhouse._audit(v_row.account_id, 'consent', p_id, jsonb_build_object('level', v_level));
    return v_level;
end
$$;
comment on function memhouse.consent(uuid) is
'Consents to the promotion that waits for a statement about the credential''s own peer, carries it out, and returns the new level. Errors: MH001, MH014, MH015, MH016 (none waits), MH022 (about another peer).';
