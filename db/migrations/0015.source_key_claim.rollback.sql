set local role memhouse_owner;
drop table memhouse.source_key_claim;
reset role;
