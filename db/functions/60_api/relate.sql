-- Draws a typed edge between two statements of scopes this posture may write. An edge that exists stays as it is.
-- supersedes and contradicts change the life of their target, so they need a target that this posture may change; they
-- take effect at once if p_from is active, else when it is accepted.
-- Definer because a member may relate statements it wrote itself, and a curator any of its scope, that the reader policy
-- hides from them.
create or replace function memhouse.relate(p_from uuid, p_to uuid, p_type text, p_confidence real default 1.0)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_curated constant uuid[] := memhouse._curated_scopes(v_reader);
    v_type memhouse.relation_type := memhouse._one_of(p_type, enum_range(null::memhouse.relation_type)::text[], 'p_type');
begin
    if v_reader.write_scopes is null then
        perform memhouse._fail('MH014', 'This transaction began with begin_read.');
    elsif p_from = p_to then
        perform memhouse._fail('MH010', 'A statement cannot be related to itself.');
    elsif p_confidence is null or p_confidence = 'NaN' or p_confidence not between 0 and 1 then
        perform memhouse._fail('MH010', format('p_confidence is %s; it must be 0 to 1.', coalesce(p_confidence::text, 'null')));
    elsif 2 <> (select count(*) from memhouse.knowledge as k
                where k.account_id = v_reader.account_id and k.knowledge_id in (p_from, p_to)
                  and k.scope_id = any (v_reader.write_scopes) and k.lifecycle_state <> 'redacted'
                  and memhouse._may_cite(v_reader, v_curated, k.scope_id, k.written_by, memhouse._admits_statement(v_reader, k))) then
        perform memhouse._fail('MH015', 'One of the two statements is not there to be related.');
    end if;
    if v_type in ('supersedes', 'contradicts') and not exists (
        select from memhouse.relation as r
        where r.account_id = v_reader.account_id and r.from_id = p_from and r.to_id = p_to and r.type = v_type
    ) then
        perform memhouse._changeable(p_to);
    end if;
    insert into memhouse.relation (account_id, from_id, to_id, type, confidence, written_by)
    values (v_reader.account_id, p_from, p_to, v_type, p_confidence, v_reader.credential_id)
    on conflict do nothing;
    if found then
        perform memhouse._audit(v_reader.account_id, 'relate', p_from, jsonb_build_object('to', p_to, 'type', p_type));
        perform memhouse._imply_states(v_reader.account_id, p_from);
    end if;
end
$$;
comment on function memhouse.relate(uuid, uuid, text, real) is
'Relates two statements: p_from <p_type> p_to, with p_type contradicts, derived_from, supersedes, supports or caused_by and p_confidence 0 to 1. An edge that exists stays as it is. An active statement moves what it supersedes to superseded and what it contradicts to contested. Errors: MH001, MH010, MH014, MH015.';
