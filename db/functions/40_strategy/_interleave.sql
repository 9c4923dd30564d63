-- The heads of several lists taken in turn: first of each, second of each, ...; a row counts where it first appears.
-- Lists take their turn by name, so the same lists give the same seeds.
create or replace function memhouse._interleave(p_lists memhouse.listed_candidate[], p_limit integer)
returns uuid[]
language sql immutable parallel safe
begin atomic
    select array_agg(h.id order by h.turn, h.strategy)
    from (
        select f.id, f.turn, f.strategy
        from (
            select distinct on (l.id) l.id, l.turn, l.strategy
            from (select c.id, c.strategy, row_number() over (partition by c.strategy order by c.score desc, c.id) as turn
                  from unnest(p_lists) as c) as l
            where l.turn <= p_limit
            order by l.id, l.turn, l.strategy
        ) as f
        order by f.turn, f.strategy
        limit p_limit
    ) as h;
end;
comment on function memhouse._interleave(memhouse.listed_candidate[], integer) is 'The heads of several lists, interleaved by rank, each id once. Private to relation_expand.';
