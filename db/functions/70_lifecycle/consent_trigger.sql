-- The rule itself, below every function: a statement about a peer stands above peer level only while a recorded consent
-- to that level holds. Deferred to the end of the transaction, so that an archive may restore its rows in any order.
-- Definer because promotions are the owner's table and anybody's transaction may end here.
create or replace function memhouse._require_consent()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if exists (
        select from memhouse.knowledge as k
        where k.account_id = new.account_id and k.knowledge_id = new.knowledge_id
          and k.subject_peer_id is not null and k.target_level > 'peer'
          and not exists (
              select from memhouse.promotion as p
              where p.account_id = k.account_id and p.knowledge_id = k.knowledge_id
                and p.state = 'consented' and p.target_level >= k.target_level)
    ) then
        perform memhouse._fail('MH022', format('Statement %s has no consent to its level.', new.knowledge_id));
    end if;
    return null;
end
$$;
comment on function memhouse._require_consent() is 'Trigger: refuses a level above peer without the recorded consent of the peer. Private.';

drop trigger if exists require_consent on memhouse.knowledge;
create constraint trigger require_consent
after insert or update of target_level on memhouse.knowledge
deferrable initially deferred
for each row when (new.subject_peer_id is not null and new.target_level > 'peer') execute function memhouse._require_consent();
