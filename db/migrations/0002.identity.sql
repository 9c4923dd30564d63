-- Who asks and who is asked about: accounts, scopes, peers, credentials and grants.
-- Every key starts with account_id; text keys are the application's, uuids are ours and time-ordered.

set local role memhouse_owner;

create type memhouse.sensitivity as enum ('public', 'internal', 'personal', 'restricted');
comment on type memhouse.sensitivity is 'How closely a row is held, in rising order; also the clearance of a credential.';
create type memhouse.scope_role as enum ('reader', 'member', 'curator', 'admin');
comment on type memhouse.scope_role is 'What a grant allows on a scope, in rising order; writing needs member.';
create type memhouse.grant_effect as enum ('allow', 'deny');
comment on type memhouse.grant_effect is 'Effect of a grant; any deny on the path of a scope wins.';
create type memhouse.credential_kind as enum ('machine', 'session');
comment on type memhouse.credential_kind is 'machine: a program, with or without a peer of its own; session: a signed-in person, always with a peer.';

create table memhouse.account (
    account_id uuid primary key,
    account_key text not null unique check (char_length(account_key) between 1 and 200),
    settings jsonb not null default '{}',
    created_at timestamptz not null default now()
);
comment on table memhouse.account is 'A tenant. Nothing crosses from one account to another.';

create table memhouse.scope (
    account_id uuid not null references memhouse.account on delete cascade,
    scope_id uuid not null,
    scope_key text not null check (char_length(scope_key) between 1 and 500),
    parent_id uuid,
    path uuid[] not null,
    created_at timestamptz not null default now(),
    primary key (account_id, scope_id),
    unique (account_id, scope_key),
    foreign key (account_id, parent_id) references memhouse.scope (account_id, scope_id),
    check (path[cardinality(path)] = scope_id)
);
create index scope_parent on memhouse.scope (account_id, parent_id);
comment on table memhouse.scope is 'The tree that knowledge hangs on; a read covers a scope and its ancestors.';
comment on column memhouse.scope.path is 'Ids from the root down to the scope itself, so ancestors need no recursion.';

create table memhouse.peer (
    account_id uuid not null references memhouse.account on delete cascade,
    peer_id uuid not null,
    peer_key text not null check (char_length(peer_key) between 1 and 200),
    display_name text,
    created_at timestamptz not null default now(),
    primary key (account_id, peer_id),
    unique (account_id, peer_key)
);
comment on table memhouse.peer is 'A person or an agent that reads, writes, or is written about.';

create table memhouse.credential (
    account_id uuid not null references memhouse.account on delete cascade,
    credential_id uuid not null,
    credential_name text not null check (char_length(credential_name) between 1 and 200),
    kind memhouse.credential_kind not null,
    peer_id uuid,
    clearance memhouse.sensitivity not null default 'internal',
    db_role name,
    token_hash bytea not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    authority_version bigint not null default 1,
    created_at timestamptz not null default now(),
    primary key (account_id, credential_id),
    unique (account_id, credential_name),
    foreign key (account_id, peer_id) references memhouse.peer (account_id, peer_id),
    check (kind = 'machine' or peer_id is not null)
);
-- Authentication has no account to start from: a token or a database role finds its credential, and through
-- it the account. These two look-ups are the only ones that do not begin with account_id.
create index credential_token on memhouse.credential (token_hash);
create unique index credential_db_role on memhouse.credential (db_role) where db_role is not null and revoked_at is null;
create index credential_peer on memhouse.credential (account_id, peer_id) where peer_id is not null;
comment on table memhouse.credential is 'What a caller authenticates with: a token (kept as sha256 only) or a database role.';
comment on column memhouse.credential.authority_version is
    'Rises whenever what the credential may do changes; a posture begun under an older value is refused (MH023).';

create table memhouse.scope_grant (
    account_id uuid not null,
    credential_id uuid not null,
    scope_id uuid not null,
    effect memhouse.grant_effect not null,
    role memhouse.scope_role not null,
    created_at timestamptz not null default now(),
    primary key (account_id, credential_id, scope_id, effect),
    foreign key (account_id, credential_id) references memhouse.credential on delete cascade,
    foreign key (account_id, scope_id) references memhouse.scope on delete cascade
);
create index scope_grant_scope on memhouse.scope_grant (account_id, scope_id);
comment on table memhouse.scope_grant is 'Allow or deny of a scope, and of all below it, to a credential; any deny wins.';

create table memhouse.seal_key (
    key_id integer generated always as identity primary key,
    inner_key bytea not null check (octet_length(inner_key) = 64),
    outer_key bytea not null check (octet_length(outer_key) = 64),
    created_at timestamptz not null default now()
);
comment on table memhouse.seal_key is
    'Keys of the posture seal, already mixed with the HMAC pads (RFC 2104); the newest signs, the others still verify. Only the owner reads it.';

create table memhouse.server_setting (
    name text primary key,
    value jsonb not null,
    unit text not null,
    description text not null
);
comment on table memhouse.server_setting is 'Limits and caps that hold for every account; a DBA changes them with set_server_setting.';
insert into memhouse.server_setting (name, value, unit, description) values
('max_query_chars', '8192', 'characters', 'A longer query is refused (MH011).'),
('max_query_terms', '64', 'lexemes', 'Distinct terms of a query that lexical reads; later ones are ignored and counted in the report.'),
('max_statement_chars', '20000', 'characters', 'A longer statement is refused (MH010).'),
('max_observation_chars', '1000000', 'characters', 'A longer observation is refused (MH010).'),
('exact_scan_rows', '25000', 'rows', 'Up to this many eligible rows semantic compares exactly; above it, by the vector index.'),
('max_deadline_ms', '60000', 'ms', 'The largest deadline a profile or a caller may ask for.');

create type memhouse.reader as (
    account_id uuid,
    credential_id uuid,
    authority_version bigint,
    posture text,
    peer_id uuid,
    clearance memhouse.sensitivity,
    known_at timestamptz,
    scope_id uuid,
    scopes uuid[],
    write_scopes uuid[]
);
comment on type memhouse.reader is 'The reader posture of a transaction, as begin_read, begin_write or begin_internal sealed it.';

reset role;
