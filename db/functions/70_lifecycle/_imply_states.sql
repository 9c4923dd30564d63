-- What an active statement does to others through its relations: those it supersedes become superseded, those it
-- contradicts contested. A target whose state has no such edge (already superseded, retracted, ...) stays as it is.
-- Definer because states are the owner's to change.
create or replace function memhouse._imply_states(p_account_id uuid, p_from uuid)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_effect record;
begin
    for v_effect in
        select r.to_id, e.to_state
        from memhouse.relation as r
        join memhouse.knowledge as f on f.account_id = r.account_id and f.knowledge_id = r.from_id and f.lifecycle_state = 'active'
        join memhouse.knowledge as t on t.account_id = r.account_id and t.knowledge_id = r.to_id
        join memhouse.lifecycle_edge as e
            on e.from_state = t.lifecycle_state
            and e.to_state = case r.type when 'supersedes' then 'superseded'::memhouse.lifecycle_state when 'contradicts' then 'contested' end
        where r.account_id = p_account_id and r.from_id = p_from
        -- Superseded first: what is replaced needs no contest.
        order by r.type = 'supersedes' desc, r.to_id
    loop
        if exists (select from memhouse.knowledge as k join memhouse.lifecycle_edge as e on e.from_state = k.lifecycle_state
                   where k.account_id = p_account_id and k.knowledge_id = v_effect.to_id and e.to_state = v_effect.to_state) then
            perform memhouse._move_states(p_account_id, array[v_effect.to_id], v_effect.to_state, null);
        end if;
    end loop;
end
$$;
comment on function memhouse._imply_states(uuid, uuid) is 'Applies supersedes and contradicts relations of an active statement to their targets. Private.';
