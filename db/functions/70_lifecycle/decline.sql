-- The subject's no: to a promotion that waits, or, when none does, to one consented to before, which takes the
-- statement back to peer level. Seen by the next read, like every change of authority.
-- Definer because levels and promotions are the owner's to write.
create or replace function memhouse.decline(p_id uuid, p_reason text default null)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_row memhouse.knowledge := memhouse._own_statement(p_id);
    v_state memhouse.promotion_state := 'proposed';
begin
    if p_reason is not null then
        perform memhouse._checked_text(p_reason, 'p_reason', 2000);
    end if;
    if not exists (select from memhouse.promotion as p
                   where p.account_id = v_row.account_id and p.knowledge_id = p_id and p.state = 'proposed') then
        v_state := 'consented';
    end if;
    update memhouse.promotion as p
    set state = 'declined', decided_by = (memhouse._reader()).credential_id, decided_at = now(), reason = p_reason
    where p.account_id = v_row.account_id and p.knowledge_id = p_id and p.state = v_state;
    if not found then
        perform memhouse._fail('MH016', 'No promotion of the statement waits or holds.');
    end if;
    if v_state = 'consented' then
        update memhouse.knowledge as k set target_level = 'peer'
        where k.account_id = v_row.account_id and k.knowledge_id = p_id;
    end if;
    -- The reason is the subject's own words: it stays with the promotion, which goes when the statement is erased.
    perform memhouse._audit(v_row.account_id, case v_state when 'proposed' then 'decline' else 'withdraw_consent' end, p_id);
    return case v_state when 'proposed' then 'declined' else 'withdrawn' end;
end
$$;
comment on function memhouse.decline(uuid, text) is
'Declines the promotion that waits for a statement about the credential''s own peer (returns declined); when none waits, takes back the consent given before, and the statement returns to peer level (returns withdrawn). p_reason: up to 2000 characters. Errors: MH001, MH010, MH014, MH015, MH016 (nothing to decline), MH022 (about another peer).';
