-- A tsquery as the full-text index is asked it: once for each audience of the reader, with the words of that audience, so
-- that the index never touches an entry of anybody else's. It narrows only: whoever asks must ask the tsvector too, which
-- knows of phrases and of words longer than the index keeps.
-- In pieces, since the time that the index takes for a query grows with the square of its words.
-- The text of a tsquery has its words in quotes, '' and \\ for one such character; a phrase operator cannot be part of a
-- word that the parser makes, since "<" cannot. Of what must not be there the index is not asked (querytree leaves it out,
-- and "T" where nothing else is), since a phrase that is not there may yet have all its words there.
-- One word, which is what lexical asks most, needs no regular expression: they cost as much as the scan.
create or replace function memhouse.within_audiences(p_terms tsquery, p_audiences bigint[])
returns setof tsquery
language sql immutable parallel safe rows 1
begin atomic
    select string_agg('(' || replace(t.template, chr(1), memhouse._audience_prefix(a.audience)) || ')', ' | ')::tsquery
    from (
        select case
            when q.words = 'T' then '''' || chr(1) || ''''
            when numnode(p_terms) = 1 and length(q.words) <= 200 then '''' || chr(1) || substr(q.words, 2)
            else regexp_replace(
                regexp_replace(q.words, '<(-|\d+)>', '&', 'g'),
                '''((?:[^''\\]|''''|\\\\){1,200})(?:[^''\\]|''''|\\\\)*''', '''' || chr(1) || '\1''', 'g')
        end as template
        from (select querytree(p_terms) as words) as q
        where numnode(p_terms) > 0
        offset 0
    ) as t
    cross join unnest(p_audiences) with ordinality as a (audience, place)
    group by (a.place - 1) / 64;
end;
comment on function memhouse.within_audiences(tsquery, bigint[]) is
'A tsquery as the full-text index is asked it, within any of the audiences: one tsquery for each 64 of them, of which no two match the same statement. It matches all that the tsquery does, and maybe more.';
