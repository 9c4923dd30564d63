-- Going above peer level, and across scopes: promotions with the consent they rest on, and links between scopes.

set local role memhouse_owner;

create type memhouse.promotion_state as enum ('proposed', 'consented', 'declined');
comment on type memhouse.promotion_state is 'Where a promotion stands: waiting for the subject, consented to, or declined (also: consent taken back).';

create table memhouse.promotion (
    account_id uuid not null,
    promotion_id uuid not null,
    knowledge_id uuid not null,
    target_level memhouse.target_level not null check (target_level > 'peer'),
    state memhouse.promotion_state not null,
    proposed_by uuid,
    proposed_at timestamptz not null default now(),
    decided_by uuid,
    decided_at timestamptz,
    reason text check (char_length(reason) between 1 and 2000),
    primary key (account_id, promotion_id),
    foreign key (account_id, knowledge_id) references memhouse.knowledge (account_id, knowledge_id) on delete cascade,
    check ((state = 'proposed') = (decided_at is null))
);
-- At most one promotion of a statement waits at a time.
create unique index promotion_waiting on memhouse.promotion (account_id, knowledge_id) where state = 'proposed';
create index promotion_knowledge on memhouse.promotion (account_id, knowledge_id);
comment on table memhouse.promotion is
'Proposals to raise a statement about a peer above peer level, and what that peer said to them. Written by propose_promotion, consent and decline only.';
comment on column memhouse.promotion.decided_by is 'The credential that consented or declined; its own peer is the subject of the statement.';

create table memhouse.scope_link (
    account_id uuid not null,
    from_scope_id uuid not null,
    to_scope_id uuid not null,
    created_at timestamptz not null default now(),
    primary key (account_id, from_scope_id, to_scope_id),
    foreign key (account_id, from_scope_id) references memhouse.scope (account_id, scope_id) on delete cascade,
    foreign key (account_id, to_scope_id) references memhouse.scope (account_id, scope_id) on delete cascade,
    check (from_scope_id <> to_scope_id)
);
create index scope_link_to on memhouse.scope_link (account_id, to_scope_id);
comment on table memhouse.scope_link is
'Scopes whose memory bears on each other. A link grants nothing: it is followed only by a reader authorised at both ends.';

reset role;
