-- Those of some ids that are statements this posture may retrieve, looked up one by one whether they are there or not.
-- Definer because row security would take the posture apart only once a row is found (see _admits_statement).
create or replace function memhouse._visible_ids(p_ids uuid[])
returns uuid[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
begin
    return array(
        select k.knowledge_id from memhouse.knowledge as k
        where k.account_id = v_reader.account_id and k.knowledge_id = any (p_ids) and memhouse._admits_statement(v_reader, k));
end
$$;
comment on function memhouse._visible_ids(uuid[]) is 'Ids of statements this posture may retrieve, out of some. Private to rerank_vectors and rerank.';
