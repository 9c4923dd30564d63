-- Cascades: what depends on these is functions, views and policies, which the next migrate makes again.
set local role memhouse_owner;
drop table memhouse.scope_link, memhouse.promotion cascade;
drop type memhouse.promotion_state cascade;
reset role;
