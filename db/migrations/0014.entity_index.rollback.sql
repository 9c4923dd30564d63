set local role memhouse_owner;
drop table memhouse.entity_indexed;
reset role;
