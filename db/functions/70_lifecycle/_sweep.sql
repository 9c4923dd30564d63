-- Moves statements whose date has passed to the state that follows, most overdue first, in batches. Bounded in rows and
-- time; what is left is found by the next call, since nothing but the rows themselves says what is due. Rows that
-- another sweep or a writer has locked are left to them. Readers are never blocked: they read the version before.
-- Returns how many moved. Definer because states are the owner's to change.
create or replace function memhouse._sweep(p_state memhouse.lifecycle_state, p_max_rows integer, p_max_ms integer)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_rows constant integer := coalesce(p_max_rows, memhouse._setting_int('sweep_rows'));
    v_end constant timestamptz := clock_timestamp() + coalesce(p_max_ms, memhouse._setting_int('sweep_ms')) * interval '1 ms';
    v_moved integer := 0;
    v_batch integer;
    v_due record;
begin
    if v_rows < 1 or p_max_ms < 1 then
        perform memhouse._fail('MH010', 'p_max_rows and p_max_ms are whole numbers from 1.');
    end if;
    loop
        v_batch := 0;
        -- Two queries and not one with a choice in it: each has a partial index that its words must match.
        if p_state = 'expired' then
            for v_due in
                select d.account_id, array_agg(d.knowledge_id) as ids
                from (select k.account_id, k.knowledge_id
                      from memhouse.knowledge as k
                      where k.expires_at <= now()
                        and k.lifecycle_state in ('proposed', 'provisional', 'held', 'active', 'needs_revalidation', 'contested', 'deprecated')
                      order by k.expires_at
                      limit least(500, v_rows - v_moved)
                      for no key update skip locked) as d
                group by d.account_id
            loop
                v_batch := v_batch + memhouse._move_states(v_due.account_id, v_due.ids, p_state, null);
            end loop;
        else
            for v_due in
                select d.account_id, array_agg(d.knowledge_id) as ids
                from (select k.account_id, k.knowledge_id
                      from memhouse.knowledge as k
                      where k.revalidate_at <= now() and k.lifecycle_state = 'active'
                      order by k.revalidate_at
                      limit least(500, v_rows - v_moved)
                      for no key update skip locked) as d
                group by d.account_id
            loop
                v_batch := v_batch + memhouse._move_states(v_due.account_id, v_due.ids, p_state, null);
            end loop;
        end if;
        v_moved := v_moved + v_batch;
        exit when v_batch = 0 or v_moved >= v_rows or clock_timestamp() >= v_end;
    end loop;
    return v_moved;
end
$$;
comment on function memhouse._sweep(memhouse.lifecycle_state, integer, integer) is
'Moves statements whose date has passed to expired or needs_revalidation, bounded in rows and time. Private to the sweeps.';
