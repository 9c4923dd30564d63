-- What a profile may hold, in one place. Error: MH020 naming the key.
-- Definer because strategies are listed in the owner's table.
create or replace function memhouse._checked_profile(p_config jsonb)
returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_key text;
    v_value jsonb;
    v_low double precision;
    v_high double precision;
    v_whole boolean;
begin
    if p_config is null or jsonb_typeof(p_config) <> 'object' or jsonb_typeof(coalesce(p_config -> 'strategies', '0')) <> 'object'
       or jsonb_typeof(coalesce(p_config -> 'signals', '{}')) <> 'object' then
        perform memhouse._fail('MH020', 'A profile is a JSON object; its "strategies" and "signals" are objects of names and weights.');
    end if;
    for v_key, v_value in select e.key, e.value from jsonb_each(p_config -> 'strategies') as e loop
        if not exists (select from memhouse.strategy as s where s.name = v_key) then
            perform memhouse._fail('MH020', format('There is no strategy %L.', left(v_key, 80)));
        elsif jsonb_typeof(v_value) <> 'number' or v_value::numeric not between 0 and 1000 then
            perform memhouse._fail('MH020', format('The weight of %s is %s; it must be a number from 0 to 1000.', v_key, left(v_value::text, 80)));
        end if;
    end loop;
    if not exists (select from jsonb_each(p_config -> 'strategies') as e where e.value::numeric > 0) then
        perform memhouse._fail('MH020', 'At least one strategy needs a weight above 0.');
    end if;
    for v_key, v_value in
        select 'signals.' || e.key, e.value from jsonb_each(p_config -> 'signals') as e
        union all
        select e.key, e.value from jsonb_each(p_config - 'strategies' - 'signals' - 'feature' - 'reranker') as e
    loop
        select b.low, b.high, b.whole into v_low, v_high, v_whole
        from (values
            ('rrf_k', 0, 1000, true), ('depth', 1, 1000, true), ('deadline_ms', 1, memhouse._setting_int('max_deadline_ms'), true),
            ('rerank_head', 0, 100, true), ('reserved_rerank_ms', 0, memhouse._setting_int('max_deadline_ms'), true),
            ('rerank_weight', 0, 1, false),
            ('signals.recency', 0, 0.5, false), ('signals.authority', 0, 0.5, false),
            ('signals.provenance', 0, 0.5, false), ('signals.status', 0, 0.5, false)
        ) as b (key, low, high, whole)
        where b.key = v_key;
        if not found then
            perform memhouse._fail('MH020', format('A profile has no %L.', left(v_key, 80)));
        elsif jsonb_typeof(v_value) <> 'number' or v_value::numeric not between v_low and v_high or (v_whole and v_value::numeric % 1 <> 0) then
            perform memhouse._fail('MH020', format('%s is %s; it must be a %s from %s to %s.',
                v_key, left(v_value::text, 80), case when v_whole then 'whole number' else 'number' end, v_low, v_high));
        end if;
    end loop;
    if p_config -> 'reranker' not in ('"cross_encoder"', '"late_interaction"', '"cascade"') then
        perform memhouse._fail('MH020', 'reranker can only be cross_encoder, late_interaction or cascade.');
    end if;
    if p_config -> 'feature' not in ('"experimental_minimal_recall"') then
        perform memhouse._fail('MH020', 'feature can only be experimental_minimal_recall.');
    end if;
    return p_config;
end
$$;
comment on function memhouse._checked_profile(jsonb) is 'A profile''s configuration if every part can be used, else MH020. Private.';
