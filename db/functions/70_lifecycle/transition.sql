-- Moves a statement along an edge of its lifecycle. Definer because states are the owner's to change.
create or replace function memhouse.transition(p_id uuid, p_state text, p_reason text default null)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_row memhouse.knowledge := memhouse._changeable(p_id);
    v_state memhouse.lifecycle_state := memhouse._one_of(p_state, enum_range(null::memhouse.lifecycle_state)::text[], 'p_state');
    v_role memhouse.scope_role;
begin
    if p_reason is not null then
        perform memhouse._checked_text(p_reason, 'p_reason', 2000);
    end if;
    select e.role into v_role from memhouse.lifecycle_edge as e where e.from_state = v_row.lifecycle_state and e.to_state = v_state;
    if not memhouse._holds_role(v_row.scope_id, coalesce(v_role, 'member')) then
        perform memhouse._fail('MH014', format('From %s to %s needs role %s on the scope.', v_row.lifecycle_state, v_state, v_role));
    elsif v_state = 'active' and v_row.expires_at <= now() then
        perform memhouse._fail('MH016', 'Its expiry has passed: give it a later one, or none, with set_expiry.');
    end if;
    perform memhouse._move_states(v_row.account_id, array[p_id], v_state, p_reason);
    return v_state;
end
$$;
comment on function memhouse.transition(uuid, text, text) is
'Moves a statement to another state of its lifecycle and returns that state. p_id: a statement in a scope this posture may write that it can see, or wrote, or looks after as curator. p_state: see lifecycle_edge, which also names the role an edge needs. p_reason: kept in the statement''s history, up to 2000 characters. Errors: MH001, MH010, MH014, MH015, MH016 (no such edge).';
