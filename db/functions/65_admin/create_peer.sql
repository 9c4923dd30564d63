-- Definer because peers are the owner's table.
create or replace function memhouse.create_peer(p_account text, p_peer_key text, p_display_name text default null)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_id uuid := memhouse.uuid_v7();
    v_account_id uuid := memhouse._account_id(p_account);
begin
    insert into memhouse.peer (account_id, peer_id, peer_key, display_name)
    values (v_account_id, v_id, memhouse._checked_text(p_peer_key, 'p_peer_key', 200), p_display_name)
    on conflict do nothing;
    if not found then
        perform memhouse._fail('MH017', format('The account has a peer %L.', p_peer_key));
    end if;
    perform memhouse._audit(v_account_id, 'create_peer', v_id);
    return v_id;
end
$$;
comment on function memhouse.create_peer(text, text, text) is
'Creates a peer, a person or an agent, and returns its id. Errors: MH010, MH017, MH018.';
