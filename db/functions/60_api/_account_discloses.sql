-- Definer because account settings are the owner's table.
create or replace function memhouse._account_discloses()
returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce((a.settings ->> 'disclose_authorization_filtered')::boolean, false)
    from memhouse.account as a where a.account_id = memhouse.reader_account();
end;
comment on function memhouse._account_discloses() is 'Account setting disclose_authorization_filtered. Private.';
