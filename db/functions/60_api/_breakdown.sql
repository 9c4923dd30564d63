-- The parts of a fused candidate as the JSON of score_breakdown, one key a strategy.
create or replace function memhouse._breakdown(p_parts memhouse.contribution[])
returns jsonb
language sql stable parallel safe
begin atomic
    select jsonb_object_agg(p.strategy, jsonb_strip_nulls(jsonb_build_object(
        'raw', p.raw, 'normalised', p.normalised, 'rank', p.rank, 'weight', p.weight,
        'contribution', p.contribution, 'detail', p.detail)))
    from unnest(p_parts) as p;
end;
comment on function memhouse._breakdown(memhouse.contribution[]) is 'Contributions as JSON for score_breakdown. Private to the read API.';
