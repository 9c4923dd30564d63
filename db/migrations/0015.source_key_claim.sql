-- The source keys that transactions in progress are storing, so that two writers of one key wait for each other.

set local role memhouse_owner;

-- Unlogged: a claim is worth no more than the transaction that made it.
create unlogged table memhouse.source_key_claim (
    account_id uuid not null,
    claim bigint not null,
    primary key (account_id, claim)
);
comment on table memhouse.source_key_claim is
'Source keys being stored at this moment, as hashes. A claim is made and deleted by one transaction: nobody ever sees a row here.';

reset role;
