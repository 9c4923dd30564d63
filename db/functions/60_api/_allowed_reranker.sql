-- How the reranker that a profile asks for calls itself, when all its models are allowed inside the server; else null.
-- Definer because the list of models is the owner's table.
create or replace function memhouse._allowed_reranker(p_kind text)
returns text
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select string_agg(m.reads_as, ' + ' order by m.kind)
    from memhouse.model as m
    where m.kind = any (case p_kind when 'cascade' then array['late_interaction', 'reranker']
                        when 'cross_encoder' then array['reranker'] else array['late_interaction'] end)
    having count(*) = case p_kind when 'cascade' then 2 else 1 end;
end;
comment on function memhouse._allowed_reranker(text) is 'Name of the reranker of a kind, when its models may run inside the server. Private.';
