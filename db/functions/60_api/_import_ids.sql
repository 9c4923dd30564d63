-- Which id each line of a batch stands for: a new one, or for a source key that is taken, in the table or by an earlier
-- line of the same type, that one's.
-- Input: type and source key of the lines, in step. Output: ids of the lines, and whether a line is to be stored.
create or replace function memhouse._import_ids(p_types text[], p_source_keys text[])
returns table (place bigint, id uuid, is_new boolean)
language sql volatile
set search_path = pg_catalog, pg_temp
begin atomic
    with line as materialized (
        select l.type, l.source_key, l.place, memhouse.uuid_v7() as id
        from unnest(p_types, p_source_keys) with ordinality as l (type, source_key, place)
    ),
    taken as materialized (
        select t.type, k.source_key, k.id
        from (select l.type, array_agg(distinct l.source_key) as keys from line as l where l.source_key is not null group by l.type) as t
        cross join lateral memhouse._known_source_keys(t.type, t.keys) as k
    ),
    resolved as (
        select l.place, l.id,
            coalesce(t.id, case when l.source_key is null then l.id
                                else first_value(l.id) over (partition by l.type, l.source_key order by l.place) end) as stands_for
        from line as l
        left join taken as t on t.type = l.type and t.source_key = l.source_key
    )
    select r.place, r.stands_for, r.stands_for = r.id from resolved as r order by r.place;
end;
comment on function memhouse._import_ids(text[], text[]) is
'The id that each line of a batch gets, and whether it is to be stored: source keys that are taken stand for what holds them. Private to import_batch.';
