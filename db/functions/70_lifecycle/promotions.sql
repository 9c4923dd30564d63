-- What there is to consent to, and what became of one's own proposals; newest first.
-- Definer because promotions are the owner's table; a statement shows only where the reader policy shows it.
create or replace function memhouse.promotions()
returns table (
    id uuid, statement text, subject_peer text, target_level text, state text,
    proposed_at timestamptz, decided_at timestamptz, reason text
)
language plpgsql stable security definer rows 20
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_own_peer uuid := memhouse._own_peer();
begin
    return query
    select p.knowledge_id, k.statement, pe.peer_key, p.target_level::text, p.state::text, p.proposed_at, p.decided_at, p.reason
    from memhouse.promotion as p
    join memhouse.knowledge as k on k.account_id = p.account_id and k.knowledge_id = p.knowledge_id
    join memhouse.peer as pe on pe.account_id = k.account_id and pe.peer_id = k.subject_peer_id
    where p.account_id = v_reader.account_id
      and (k.subject_peer_id = v_own_peer or p.proposed_by = v_reader.credential_id)
      and memhouse._admits_statement(v_reader, k)
    order by p.promotion_id desc;
end
$$;
comment on function memhouse.promotions() is
'Promotions of visible statements about the credential''s own peer, and those it proposed itself: state proposed, consented or declined, newest first. Error: MH001.';
