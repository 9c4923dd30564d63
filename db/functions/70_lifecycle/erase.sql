-- Hard erasure of one statement. By a curator of its scope, by the credential that wrote it, or by the peer it is about.
-- Definer because only the owner may delete.
create or replace function memhouse.erase(p_id uuid, p_keep_sources boolean default false)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_row memhouse.knowledge := memhouse._changeable(p_id);
begin
    if not (memhouse._holds_role(v_row.scope_id, 'curator')
            or coalesce(v_row.written_by = v_reader.credential_id, false)
            or coalesce(v_row.subject_peer_id = v_reader.peer_id, false)) then
        perform memhouse._fail('MH014', 'To erase takes role curator on the scope, having written it, or being its subject.');
    end if;
    perform memhouse._erase(v_row.account_id, array[p_id], coalesce(p_keep_sources, false));
    perform memhouse._audit(v_row.account_id, 'erase', p_id);
end
$$;
comment on function memhouse.erase(uuid, boolean) is
'Erases a statement for good, with its vectors, projections, mentions, relations and history, and (unless p_keep_sources) the observations that nothing else rests on; a tombstone without content stays. For a curator of the scope, the credential that wrote it, or its subject. Errors: MH001, MH014, MH015.';
