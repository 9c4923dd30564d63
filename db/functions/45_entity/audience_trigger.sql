-- Mentions carry the audience of their statement, and follow it when its life moves. Whether a first word is a name was
-- said by other statements of the audience it leaves: those mentions go, and the statement is noted as not indexed, for
-- refresh_entities to read it among its new neighbours.
-- A transaction of isolation level repeatable read does not see mentions made since its snapshot, and would leave them behind.
-- Noting the statement as indexed fails for it then (a serialization failure), as changing any row changed meanwhile does.
-- Definer because the index is the owner's and anybody's transaction may change a statement.
create or replace function memhouse._follow_audience()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        insert into memhouse.entity_indexed (account_id, knowledge_id) values (new.account_id, new.knowledge_id)
        on conflict do nothing;
    end if;
    delete from memhouse.entity_indexed as i where i.account_id = new.account_id and i.knowledge_id = new.knowledge_id;
    delete from memhouse.entity_mention as m
    where m.account_id = new.account_id and m.knowledge_id = new.knowledge_id and m.confidence <= 0.5;
    update memhouse.entity_mention as m set audience = new.audience
    where m.account_id = new.account_id and m.knowledge_id = new.knowledge_id;
    return null;
end
$$;
comment on function memhouse._follow_audience() is 'Trigger: gives the mentions of a statement its new audience, and has it indexed again. Private.';

create or replace trigger audience
after update on memhouse.knowledge
for each row when (new.audience <> old.audience) execute function memhouse._follow_audience();
