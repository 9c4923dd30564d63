-- Puts rows of an archive back, ids and times as they were. Only into an account that this very transaction has
-- restored: nobody can add to the past of an account that lives, and a restore is whole or did not happen.
-- Credentials come back without a way in, since an archive holds no tokens: renew_credential gives them a new one.
-- Returns how many rows were stored. Errors: MH010 for what is not a row of an archive, MH017 for an account that
-- exists. Definer because it writes the owner's tables.
create or replace function memhouse.restore_rows(p_table text, p_rows jsonb)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_part record;
    v_columns text;
    v_keys text[];
    v_known text[];
    v_rows jsonb := p_rows;
    v_restored integer;
begin
    select * into v_part from memhouse._archived() as a where a.table_name = p_table;
    if not found then
        perform memhouse._fail('MH010', format('An archive has no table %s.', coalesce(quote_literal(left(p_table, 80)), 'null')));
    elsif jsonb_typeof(p_rows) is distinct from 'array' or jsonb_path_exists(p_rows, '$[*] ? (@.type() != "object")') then
        perform memhouse._fail('MH010', 'p_rows is not an array of JSON objects.');
    elsif p_table = 'account' then
        if exists (select from memhouse.account as a
                   join jsonb_to_recordset(p_rows) as r (account_id uuid, account_key text)
                       on a.account_id = r.account_id or a.account_key = r.account_key) then
            perform memhouse._fail('MH017', 'The account of the archive is here already; restore into another database.');
        end if;
    elsif exists (select from jsonb_to_recordset(p_rows) as r (account_id uuid)
                  left join memhouse.account as a on a.account_id = r.account_id and a.xmin = pg_current_xact_id()::xid
                  where a.account_id is null) then
        perform memhouse._fail('MH010', 'The rows belong to an account that this transaction did not restore.');
    end if;
    -- The columns are those of the rows: one that a later version added takes its default, one that this version does not
    -- have is refused, since dropping it would lose what it says.
    select array_agg(k.key) into v_keys from jsonb_object_keys(p_rows -> 0) as k (key);
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum), array_agg(a.attname::text) into v_columns, v_known
    from pg_attribute as a
    where a.attrelid = format('memhouse.%I', p_table)::regclass and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and a.attname = any (v_keys) and a.attname <> all (v_part.left_out);
    if not v_keys <@ v_known or exists (select from jsonb_array_elements(p_rows) as r where not r.value ?& v_keys or r.value - v_keys <> '{}') then
        perform memhouse._fail('MH010', format('A row of %s has columns that this version does not know, or lacks some.', p_table));
    end if;
    if p_table = 'credential' then
        v_columns := v_columns || ', token_hash';
        select jsonb_agg(r.value || jsonb_build_object('token_hash',
            sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))::text)) into v_rows
        from jsonb_array_elements(p_rows) as r;
    end if;
    execute format('insert into memhouse.%I (%s) select %2$s from jsonb_populate_recordset(null::memhouse.%1$I, $1)', p_table, v_columns)
    using v_rows;
    get diagnostics v_restored = row_count;
    if p_table = 'account' then
        perform memhouse._audit((p_rows -> 0 ->> 'account_id')::uuid, 'restore_account', (p_rows -> 0 ->> 'account_id')::uuid);
    end if;
    return v_restored;
end
$$;
comment on function memhouse.restore_rows(text, jsonb) is
'Stores rows of an archive, an array of JSON objects of one table, with their ids and times. The row of the account comes first and makes it; all others belong to an account restored in the same transaction. Credentials come back without a token (renew_credential). For administrators. Errors: MH010, MH017.';
