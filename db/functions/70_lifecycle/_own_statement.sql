-- A statement about the peer whose credential began this write posture, locked: what only its subject may decide on.
-- Errors: MH001; MH014 in a read posture; MH015 when it is not visible, or not there; MH022 when it is about another.
-- Definer because locking a row takes the owner.
create or replace function memhouse._own_statement(p_id uuid)
returns memhouse.knowledge
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_row memhouse.knowledge;
begin
    if v_reader.write_scopes is null then
        perform memhouse._fail('MH014', 'This transaction began with begin_read.');
    end if;
    select k.* into v_row from memhouse.knowledge as k where k.account_id = v_reader.account_id and k.knowledge_id = p_id;
    if not memhouse._admits_statement(v_reader, v_row) then
        perform memhouse._fail('MH015', format('There is no statement %s.', coalesce(p_id::text, 'null')));
    end if;
    select k.* into v_row from memhouse.knowledge as k
    where k.account_id = v_reader.account_id and k.knowledge_id = p_id
    for no key update;
    if not found then
        perform memhouse._fail('MH015', format('There is no statement %s.', p_id));
    elsif (v_row.subject_peer_id = memhouse._own_peer()) is not true then
        perform memhouse._fail('MH022', 'Only the peer that the statement is about decides, under a credential of its own.');
    end if;
    return v_row;
end
$$;
comment on function memhouse._own_statement(uuid) is
'A statement about the credential''s own peer, locked; MH014, MH015 or MH022. Private to consent and decline.';
