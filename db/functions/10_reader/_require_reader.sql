-- The posture of this transaction, for calls that cannot go on without one. Errors: MH001, and those of _reader.
create or replace function memhouse._require_reader()
returns memhouse.reader
language plpgsql stable parallel restricted
as $$
declare
    v_reader memhouse.reader := memhouse._reader();
begin
    if v_reader.account_id is null then
        perform memhouse._fail('MH001', 'Nothing was begun, or the transaction that began it has ended.');
    end if;
    return v_reader;
end
$$;
comment on function memhouse._require_reader() is 'The verified posture, or MH001. Private.';
