-- Cascades: what depends on this is a function, which the next migrate makes again.
set local role memhouse_owner;
drop type memhouse.knowledge_row cascade;
reset role;
