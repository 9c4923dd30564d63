-- The strategies of a plan in the order they run: heaviest first, so that a deadline costs the lightest;
-- relation_expand last, since it starts from what the others found. A weight of 0 is not configured.
-- plpgsql: it keeps its plan between calls; before PostgreSQL 18 a function in SQL that cannot be inlined is planned at each.
create or replace function memhouse._strategies_of(p_config jsonb)
returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select coalesce(array_agg(w.key order by w.key = 'relation_expand', w.value::double precision desc, w.key), '{}')
        from jsonb_each(p_config -> 'strategies') as w
        where w.value::double precision > 0
    );
end
$$;
comment on function memhouse._strategies_of(jsonb) is 'Strategies of a profile in running order. Private to the read API.';
