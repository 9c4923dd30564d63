-- The work list of an embedder: statements this posture can read that have no vector yet, in id order.
-- Runs as memhouse_api, under the reader policy. Definer because embeddings are not the reader's to see.
create or replace function memhouse.unembedded(p_identity text default null, p_limit integer default 100, p_after uuid default null)
returns table (id uuid, statement text)
language plpgsql stable security definer rows 100
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_account constant uuid := v_reader.account_id;
    v_identity integer := (memhouse._stored_identity(p_identity)).identity_id;
begin
    if p_limit is null or p_limit not between 1 and 10000 then
        perform memhouse._fail('MH010', format('p_limit is %s; it must be 1 to 10000.', coalesce(p_limit::text, 'null')));
    end if;
    return query
    select k.knowledge_id, k.statement
    from memhouse.knowledge as k
    where k.account_id = v_account
      -- What this posture could not store a vector for is no work.
      and (v_reader.write_scopes is null or k.scope_id = any (v_reader.write_scopes))
      and (p_after is null or k.knowledge_id > p_after)
      and not exists (select from memhouse.embedding as e
                      where e.account_id = v_account and e.knowledge_id = k.knowledge_id and e.identity_id = v_identity)
    order by k.knowledge_id
    limit p_limit;
end
$$;
alter function memhouse.unembedded(text, integer, uuid) owner to memhouse_api;
comment on function memhouse.unembedded(text, integer, uuid) is
'Statements visible to this posture that have no vector of the account''s identity, in id order after p_after; at most p_limit (1 to 10000, default 100). Errors: MH001, MH010, MH013.';
