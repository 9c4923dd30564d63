-- Proposes to raise a statement above the level it has. About a peer, it waits for that peer's consent; about the
-- scope, there is nobody to ask, and it is raised at once.
-- Definer because levels and promotions are the owner's to write.
create or replace function memhouse.propose_promotion(p_id uuid, p_level text)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_row memhouse.knowledge := memhouse._changeable(p_id);
    v_level memhouse.target_level := memhouse._one_of(p_level, array['scope', 'account'], 'p_level');
    v_waiting memhouse.target_level;
begin
    if v_row.lifecycle_state <> 'active' then
        perform memhouse._fail('MH016', format('The statement is %s; only an active one is promoted.', v_row.lifecycle_state));
    elsif v_level <= v_row.target_level then
        perform memhouse._fail('MH010', format('The statement is at %s level already.', v_row.target_level));
    elsif v_row.subject_peer_id is null then
        update memhouse.knowledge as k set target_level = v_level
        where k.account_id = v_row.account_id and k.knowledge_id = p_id;
        perform memhouse._audit(v_row.account_id, 'promote', p_id, jsonb_build_object('level', v_level));
        return 'promoted';
    end if;

    select p.target_level into v_waiting from memhouse.promotion as p
    where p.account_id = v_row.account_id and p.knowledge_id = p_id and p.state = 'proposed';
    if v_waiting <> v_level then
        perform memhouse._fail('MH017', format('A promotion of the statement to %s level waits for consent.', v_waiting));
    elsif v_waiting is null then
        insert into memhouse.promotion (account_id, promotion_id, knowledge_id, target_level, state, proposed_by)
        values (v_row.account_id, memhouse.uuid_v7(), p_id, v_level, 'proposed', (memhouse._reader()).credential_id);
        perform memhouse._audit(v_row.account_id, 'propose_promotion', p_id, jsonb_build_object('level', v_level));
    end if;
    return 'proposed';
end
$$;
comment on function memhouse.propose_promotion(uuid, text) is
'Proposes to raise an active statement to p_level, scope or account. Returns proposed, and then it waits for the consent of the peer it is about; or promoted at once, when it is about the scope. p_id: a statement this posture may change. Proposing the same again changes nothing. Errors: MH001, MH010, MH014 to MH017.';
