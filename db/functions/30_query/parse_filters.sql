-- p_filters as a row, each value checked. Error: MH009 naming the key.
-- kind: one kind or an array of them. subject_peer: a peer key. source: an observation's id or source_key.
-- Runs as memhouse_api under the reader policies: a source that is not visible filters like one that does not exist.
-- Definer because peers and sources are read as memhouse_api.
create or replace function memhouse.parse_filters(p_filters jsonb)
returns memhouse.filters
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_filters memhouse.filters;
    v_account uuid;
    v_key text;
    v_value jsonb;
    v_text text;
begin
    if p_filters is null or p_filters = '{}' then
        return v_filters;
    elsif jsonb_typeof(p_filters) <> 'object' then
        perform memhouse._fail('MH009', format('The filters are a JSON %s; they must be an object.', jsonb_typeof(p_filters)));
    end if;
    v_account := memhouse.reader_account();
    for v_key, v_value in select e.key, e.value from jsonb_each(p_filters) as e loop
        v_text := v_value #>> '{}';
        if v_value = 'null' then
            continue;
        end if;
        begin
            case v_key
                when 'kind' then
                    if jsonb_typeof(v_value) = 'string' then
                        v_value := jsonb_build_array(v_value);
                    end if;
                    v_filters.kinds := array(
                        select memhouse._one_of(k.kind, enum_range(null::memhouse.knowledge_kind)::text[], 'kind')::memhouse.knowledge_kind
                        from jsonb_array_elements_text(v_value) as k (kind));
                when 'subject_peer' then
                    -- A peer nobody has seen matches nothing, exactly as a peer without statements would.
                    v_filters.subject_peer_id := coalesce(
                        (select p.peer_id from memhouse.peer as p where p.account_id = v_account and p.peer_key = v_text),
                        '00000000-0000-0000-0000-000000000000');
                when 'source' then
                    v_filters.ids := array(
                        select s.knowledge_id
                        from memhouse.knowledge_source as s
                        where s.account_id = v_account and s.observation_id = any (memhouse._observations_named(v_text)));
                when 'min_confidence' then
                    v_filters.min_confidence := v_text::real;
                    if v_filters.min_confidence is distinct from least(greatest(v_filters.min_confidence, 0), 1) then
                        perform memhouse._fail('MH009', 'min_confidence must be between 0 and 1.');
                    end if;
                when 'recorded_after' then v_filters.recorded_after := v_text::timestamptz;
                when 'recorded_before' then v_filters.recorded_before := v_text::timestamptz;
                else
                    perform memhouse._fail('MH009', format('There is no filter %L.', left(v_key, 80)));
            end case;
        exception
            when sqlstate 'MH010' or data_exception then
                perform memhouse._fail('MH009', format('The value of %s cannot be used: %s', v_key, left(v_value::text, 80)));
        end;
    end loop;
    return v_filters;
end
$$;
alter function memhouse.parse_filters(jsonb) owner to memhouse_api;
comment on function memhouse.parse_filters(jsonb) is
'The filters of a read: kind (one or an array), subject_peer (peer key), source (observation id or source_key), min_confidence (0 to 1), recorded_after and recorded_before (timestamps, exclusive). Error: MH009 for an unknown key or an unusable value.';
