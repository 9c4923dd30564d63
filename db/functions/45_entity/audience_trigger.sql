-- Mentions carry the audience of their statement, and follow it when its life moves.
-- Definer because the index is the owner's and anybody's transaction may change a statement.
create or replace function memhouse._follow_audience()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    update memhouse.entity_mention as m set audience = new.audience
    where m.account_id = new.account_id and m.knowledge_id = new.knowledge_id;
    return null;
end
$$;
comment on function memhouse._follow_audience() is 'Trigger: gives the mentions of a statement its new audience. Private.';

create or replace trigger audience
after update on memhouse.knowledge
for each row when (new.audience <> old.audience) execute function memhouse._follow_audience();
