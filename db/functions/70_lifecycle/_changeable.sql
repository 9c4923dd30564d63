-- A statement whose life this posture may change, locked. It must be in a scope the posture may write, and be visible
-- to it, or written by its credential, or the credential is curator there (who looks after what nobody sees: proposals,
-- what is held or contested). Hidden and absent are answered alike, after the same work.
-- A date that has passed is acted on first, so that a change finds the row as a sweep would have left it.
-- Errors: MH001, MH014 (a read posture; visible but not in a writable scope), MH015.
-- Definer because the row may be one that the reader policy hides.
create or replace function memhouse._changeable(p_id uuid)
returns memhouse.knowledge
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_curated constant uuid[] := memhouse._curated_scopes(v_reader);
    v_row memhouse.knowledge;
    v_seen boolean;
    v_due memhouse.lifecycle_state;
begin
    if v_reader.write_scopes is null then
        perform memhouse._fail('MH014', 'This transaction began with begin_read.');
    end if;
    select k.* into v_row from memhouse.knowledge as k where k.account_id = v_reader.account_id and k.knowledge_id = p_id;
    v_seen := memhouse._admits_statement(v_reader, v_row);
    if (v_seen or memhouse._may_cite(v_reader, v_curated, v_row.scope_id, v_row.written_by, v_seen)
            and v_row.scope_id = any (v_reader.write_scopes)) is not true then
        perform memhouse._fail('MH015', format('There is no statement %s.', coalesce(p_id::text, 'null')));
    elsif v_row.scope_id <> all (v_reader.write_scopes) then
        perform memhouse._fail('MH014', 'The credential has no role of member or above on the scope of the statement.');
    end if;

    -- Authorised first and locked then: nobody else can make a writer wait.
    select k.* into v_row from memhouse.knowledge as k
    where k.account_id = v_reader.account_id and k.knowledge_id = p_id
    for no key update;
    if not found then
        perform memhouse._fail('MH015', format('There is no statement %s.', p_id));
    end if;
    v_due := case
        when v_row.expires_at <= now() then 'expired'
        when v_row.revalidate_at <= now() and v_row.lifecycle_state = 'active' then 'needs_revalidation'
    end;
    if exists (select from memhouse.lifecycle_edge as e where e.from_state = v_row.lifecycle_state and e.to_state = v_due) then
        perform memhouse._move_states(v_reader.account_id, array[p_id], v_due, null);
        select k.* into strict v_row from memhouse.knowledge as k where k.account_id = v_reader.account_id and k.knowledge_id = p_id;
    end if;
    return v_row;
end
$$;
comment on function memhouse._changeable(uuid) is 'A statement this posture may change, locked and with due dates acted on; MH014 or MH015. Private.';
