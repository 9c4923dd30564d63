-- What a caller sets statement_timeout to before search, so that the strategies stop in time for reranking.
-- Definer because it resolves the profile, which is the owner's table.
create or replace function memhouse.search_timeout_ms(p_profile text default null, p_deadline_ms integer default null)
returns integer
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
begin
    return (select t.deadline_ms - t.reserved_rerank_ms
            from memhouse._times((memhouse._profile(p_profile)).config, p_deadline_ms) as t);
end
$$;
comment on function memhouse.search_timeout_ms(text, integer) is
'Milliseconds that the search statement may take under a profile and deadline (null: the profile''s own), the rerank reservation taken off. Set statement_timeout to it. Errors: MH001, MH008, MH010.';
