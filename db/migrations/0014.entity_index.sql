-- Which statements the mention index has read, so that it can be kept up to date a few at a time.

set local role memhouse_owner;

create table memhouse.entity_indexed (
    account_id uuid not null,
    knowledge_id uuid not null,
    primary key (account_id, knowledge_id),
    foreign key (account_id, knowledge_id) references memhouse.knowledge on delete cascade
);
comment on table memhouse.entity_indexed is 'Statements that the mention index has read; the others wait for refresh_entities.';

reset role;
