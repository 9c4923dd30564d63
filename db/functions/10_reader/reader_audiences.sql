-- The audiences of this reader, for the policy under which it reads a table itself: with them an index leads past what is
-- other people's. For server-side work, all there are in the account, found by hopping from one to the next in the index.
-- Definer because that is the owner's to read.
create or replace function memhouse.reader_audiences()
returns bigint[]
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._posture();
begin
    if v_reader.posture <> 'internal' then
        return memhouse._audiences(v_reader);
    end if;
    return array(
        with recursive there as (
            select (select min(k.audience) from memhouse.knowledge as k where k.account_id = v_reader.account_id) as audience
            union all
            select (select min(k.audience) from memhouse.knowledge as k where k.account_id = v_reader.account_id and k.audience > t.audience)
            from there as t where t.audience is not null
        )
        select t.audience from there as t where t.audience is not null);
end
$$;
comment on function memhouse.reader_audiences() is 'The audiences whose statements this reader may be shown; for server-side work all of its account, none when nothing was begun.';
