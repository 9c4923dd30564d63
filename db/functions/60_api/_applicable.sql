-- Why a strategy does not run for this request, decided before it starts: outcome and reason class, or nulls when it
-- runs. Definer because the allowlist is the owner's table.
create or replace function memhouse._applicable(p_strategy text, p_request memhouse.request)
returns memhouse.outcome
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_outcome memhouse.outcome;
    v_strategy memhouse.strategy;
begin
    select * into strict v_strategy from memhouse.strategy as s where s.name = p_strategy;
    if not v_strategy.enabled then
        v_outcome.outcome := 'dropped';
        v_outcome.reason_class := 'disabled';
    elsif v_strategy.reads_query and p_request.query ~ '^\s*$' then
        v_outcome.outcome := 'not_applicable';
        v_outcome.reason_class := 'applicability';
    elsif (p_strategy = 'temporal' and p_request.as_of is null)
       -- It reads no query text: it must not turn a question that found nothing into a page of recent things.
       or (p_strategy = 'salience_recency' and p_request.query !~ '^\s*$') then
        v_outcome.outcome := 'not_applicable';
        v_outcome.reason_class := 'applicability';
    elsif p_strategy in ('semantic', 'semantic_lanes') and p_request.embedding is null then
        v_outcome.outcome := 'dropped';
        v_outcome.reason_class := 'dependency_unavailable';
    end if;
    return v_outcome;
end
$$;
comment on function memhouse._applicable(text, memhouse.request) is 'Why a strategy does not run for a request; null outcome when it does. Private to the read API.';
