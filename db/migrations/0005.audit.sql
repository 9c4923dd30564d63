-- The append-only record of what was written and administered: who, what, when, never the text itself.

set local role memhouse_owner;

create table memhouse.audit_log (
    account_id uuid not null,
    audit_id uuid not null,
    at timestamptz not null default clock_timestamp(),
    credential_id uuid,
    db_role name not null,
    action text not null,
    target_id uuid,
    detail jsonb not null default '{}',
    primary key (account_id, audit_id)
);
create index audit_log_target on memhouse.audit_log (account_id, target_id) where target_id is not null;
comment on table memhouse.audit_log is
    'Append-only: writes, transitions, promotions, grants and administration, with the acting credential and database role. Holds no statement text and no secrets.';
comment on column memhouse.audit_log.account_id is 'The account acted on; the nil uuid for what concerns the whole server.';

reset role;
