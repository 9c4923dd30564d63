-- How many statements there are in the audiences of a reader, counted up to p_cap in the index alone: for choosing
-- between ways to one answer. Of other people's statements none is counted; of the reader's own, those whose
-- expiry or revalidation is due but not swept are.
-- Definer because it reads as memhouse_gate, beside the view: admission needs more than the index holds.
create or replace function memhouse._audience_rows(p_audiences bigint[], p_cap integer)
returns integer
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_account uuid := memhouse.reader_account();
begin
    return (
        select count(*)
        from (
            select
            from unnest(p_audiences) as a (audience)
            -- offset 0: audience by audience (_admitted_ids).
            cross join lateral (select from memhouse.knowledge as n where n.account_id = v_account and n.audience = a.audience offset 0) as k
            limit p_cap
        ) as bounded);
end
$$;
alter function memhouse._audience_rows(bigint[], integer) owner to memhouse_gate;
comment on function memhouse._audience_rows(bigint[], integer) is 'Number of statements in the audiences of a reader; counting stops at p_cap. Private to the read API.';
