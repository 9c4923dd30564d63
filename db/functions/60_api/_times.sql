-- The deadline of a read, the caller's or the profile's, and what of it is reserved for reranking before the
-- strategies start: the profile's reservation, but never more than half. Error: MH010.
create or replace function memhouse._times(p_config jsonb, p_deadline_ms integer)
returns table (deadline_ms integer, reserved_rerank_ms integer)
language plpgsql stable rows 1
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_deadline_ms not between 1 and memhouse._setting_int('max_deadline_ms') then
        perform memhouse._fail('MH010', format('p_deadline_ms is %s; it must be 1 to %s.', p_deadline_ms, memhouse._setting_int('max_deadline_ms')));
    end if;
    deadline_ms := coalesce(p_deadline_ms, (p_config ->> 'deadline_ms')::integer);
    reserved_rerank_ms := case when (p_config ->> 'rerank_head')::integer > 0
        then least((p_config ->> 'reserved_rerank_ms')::integer, deadline_ms / 2) else 0 end;
    return next;
end
$$;
comment on function memhouse._times(jsonb, integer) is 'Deadline and rerank reservation of a read, in milliseconds. Private.';
