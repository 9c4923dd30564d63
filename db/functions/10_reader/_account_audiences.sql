-- All audiences in which an account has statements, found by hopping from one to the next in the index.
create or replace function memhouse._account_audiences(p_account_id uuid)
returns bigint[]
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
begin atomic
    with recursive there as (
        select (select min(k.audience) from memhouse.knowledge as k where k.account_id = p_account_id) as audience
        union all
        select (select min(k.audience) from memhouse.knowledge as k where k.account_id = p_account_id and k.audience > t.audience)
        from there as t where t.audience is not null
    )
    select array(select t.audience from there as t where t.audience is not null);
end;
comment on function memhouse._account_audiences(uuid) is 'The audiences in which an account has statements. Private: it tells what a reader may not know.';
