-- The operator's allowlist. Definer because the strategies are listed in the owner's table.
create or replace function memhouse.set_strategy_enabled(p_strategy text, p_enabled boolean)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    update memhouse.strategy as s set enabled = coalesce(p_enabled, false) where s.name = p_strategy;
    if not found then
        perform memhouse._fail('MH010', format('There is no strategy %s.', coalesce(quote_literal(left(p_strategy, 80)), 'null')));
    end if;
    perform memhouse._audit(null, 'set_strategy_enabled', null, jsonb_build_object('strategy', p_strategy, 'enabled', p_enabled));
end
$$;
comment on function memhouse.set_strategy_enabled(text, boolean) is
'Switches a strategy on or off everywhere; one that is off is reported as dropped, disabled. Error: MH010.';
