-- The words of statements that passed the view in the same read, looked up by key instead of being carried along with all
-- that was found: a document has kilobytes of them.
-- Definer because it reads as memhouse_gate, beside the view.
create or replace function memhouse._words_of(p_account_id uuid, p_ids uuid[])
returns table (knowledge_id uuid, tsv tsvector)
language plpgsql stable parallel restricted security definer rows 20
set search_path = pg_catalog, pg_temp
-- A look-up by key has one good plan, whatever the values.
set plan_cache_mode = force_generic_plan
as $$
begin
    return query
    select k.knowledge_id, k.tsv
    from unnest(p_ids) as i (id)
    cross join lateral (
        select n.knowledge_id, n.tsv from memhouse.knowledge as n where n.account_id = p_account_id and n.knowledge_id = i.id offset 0) as k;
end
$$;
alter function memhouse._words_of(uuid, uuid[]) owner to memhouse_gate;
comment on function memhouse._words_of(uuid, uuid[]) is 'Lexemes of admitted statements by id. Private to the lexical strategy.';
