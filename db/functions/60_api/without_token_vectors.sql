-- The work list of late interaction: statements this posture can read that have no token vectors yet, in id order.
-- Runs as memhouse_api, under the reader policy. Definer because token vectors are not the reader's to see.
create or replace function memhouse.without_token_vectors(p_model text, p_limit integer default 100, p_after uuid default null)
returns table (id uuid, statement text)
language plpgsql stable security definer rows 100
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_account constant uuid := v_reader.account_id;
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
      and not exists (select from memhouse.token_vectors as t
                      where t.account_id = v_account and t.knowledge_id = k.knowledge_id and t.model = p_model)
    order by k.knowledge_id
    limit p_limit;
end
$$;
alter function memhouse.without_token_vectors(text, integer, uuid) owner to memhouse_api;
comment on function memhouse.without_token_vectors(text, integer, uuid) is
'Statements visible to this posture that have no token vectors of p_model, in id order after p_after; at most p_limit (1 to 10000, default 100). Errors: MH001, MH010.';
