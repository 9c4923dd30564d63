-- Everything an account is made of, one JSON object a row, in the order in which it can be restored. One statement reads
-- one snapshot; called at repeatable read, all of them do, whatever is written meanwhile.
-- The settings make the text the same on every server: times in UTC, floats in their shortest exact form.
-- Definer because an archive holds what no reader policy would show to one reader.
create or replace function memhouse.export_account(p_account text)
returns setof text
language plpgsql volatile security definer rows 10000
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set extra_float_digits = 1
as $$
declare
    v_account_id uuid := memhouse._account_id(p_account);
    v_part record;
begin
    -- Every table below is read by a statement of its own: without one snapshot for all, rows could miss their parents.
    if current_setting('transaction_isolation') = 'read committed' then
        perform memhouse._fail('MH010', 'An export needs a transaction of isolation level repeatable read.');
    end if;
    for v_part in select * from memhouse._archived() as a order by a.place loop
        return query execute format(
            'select jsonb_build_object(''table'', %L::text, ''row'', to_jsonb(t) - %L::text[])::text from memhouse.%I as t where t.account_id = $1 order by %s',
            v_part.table_name, v_part.left_out, v_part.table_name, v_part.row_order)
        using v_account_id;
    end loop;
    perform memhouse._audit(v_account_id, 'export_account', v_account_id);
end
$$;
comment on function memhouse.export_account(text) is
'An account as JSON objects {table, row}, in the order in which restore_rows takes them; without tokens, database roles, vectors and projections. Needs isolation level repeatable read. For administrators. Errors: MH010, MH018.';
