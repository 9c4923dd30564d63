-- The life of a statement: the graph of its states, the dates that move it, its history, what is left after erasure,
-- and the jobs that do such work unasked.

-- Cluster-wide like the other roles, so made only if absent.
do $role$
begin
    if not exists (select from pg_catalog.pg_roles where rolname = 'memhouse_jobs') then
        create role memhouse_jobs nologin;
        comment on role memhouse_jobs is 'For schedulers: runs the jobs and can do nothing else.';
    end if;
end
$role$;

set local role memhouse_owner;
grant usage on schema memhouse to memhouse_jobs;

create table memhouse.lifecycle_edge (
    from_state memhouse.lifecycle_state not null,
    to_state memhouse.lifecycle_state not null,
    role memhouse.scope_role not null default 'member',
    meaning text not null,
    primary key (from_state, to_state),
    check (from_state <> to_state)
);
comment on table memhouse.lifecycle_edge is
    'The lifecycle as a graph that is run, not only drawn: a statement changes its state along these edges and no others.';
comment on column memhouse.lifecycle_edge.role is 'The least role on the scope that may walk this edge by transition.';
insert into memhouse.lifecycle_edge (from_state, to_state, role, meaning) values
('proposed', 'provisional', 'curator', 'believed for now, shown to its subject only'),
('proposed', 'held', 'curator', 'set aside until something is clear'),
('proposed', 'active', 'curator', 'accepted'),
('proposed', 'rejected', 'curator', 'not accepted'),
('proposed', 'retracted', 'member', 'taken back before anybody decided'),
('proposed', 'expired', 'member', 'its time ran out undecided'),
('proposed', 'redacted', 'curator', 'must not be shown again'),
('provisional', 'active', 'curator', 'confirmed'),
('provisional', 'held', 'curator', 'set aside until something is clear'),
('provisional', 'contested', 'member', 'contradicted'),
('provisional', 'superseded', 'member', 'replaced by a newer statement'),
('provisional', 'rejected', 'curator', 'not confirmed'),
('provisional', 'retracted', 'member', 'taken back by who said it'),
('provisional', 'expired', 'member', 'its time ran out'),
('provisional', 'redacted', 'curator', 'must not be shown again'),
('held', 'provisional', 'curator', 'released for its subject'),
('held', 'active', 'curator', 'released'),
('held', 'rejected', 'curator', 'not accepted in the end'),
('held', 'retracted', 'member', 'taken back by who said it'),
('held', 'expired', 'member', 'its time ran out'),
('held', 'redacted', 'curator', 'must not be shown again'),
('active', 'held', 'curator', 'withdrawn while something is looked into'),
('active', 'needs_revalidation', 'member', 'its revalidation date passed, or somebody doubts it'),
('active', 'contested', 'member', 'contradicted'),
('active', 'superseded', 'member', 'replaced by a newer statement'),
('active', 'deprecated', 'member', 'true once, not to be used any more'),
('active', 'expired', 'member', 'its time ran out'),
('active', 'retracted', 'member', 'was wrong; kept in the record of what was known'),
('active', 'redacted', 'curator', 'must not be shown again, in the past neither'),
('needs_revalidation', 'active', 'member', 'found to hold still'),
('needs_revalidation', 'contested', 'member', 'contradicted'),
('needs_revalidation', 'superseded', 'member', 'replaced by a newer statement'),
('needs_revalidation', 'deprecated', 'member', 'found to be out of use'),
('needs_revalidation', 'expired', 'member', 'its time ran out'),
('needs_revalidation', 'retracted', 'member', 'found to be wrong'),
('needs_revalidation', 'redacted', 'curator', 'must not be shown again'),
('contested', 'active', 'curator', 'upheld'),
('contested', 'superseded', 'member', 'replaced by a newer statement'),
('contested', 'deprecated', 'member', 'out of use'),
('contested', 'expired', 'member', 'its time ran out'),
('contested', 'retracted', 'member', 'found to be wrong'),
('contested', 'redacted', 'curator', 'must not be shown again'),
('superseded', 'active', 'curator', 'its replacement did not hold'),
('superseded', 'retracted', 'member', 'was wrong from the start'),
('superseded', 'redacted', 'curator', 'must not be shown again'),
('deprecated', 'active', 'curator', 'in use again'),
('deprecated', 'superseded', 'member', 'replaced by a newer statement'),
('deprecated', 'expired', 'member', 'its time ran out'),
('deprecated', 'retracted', 'member', 'was wrong from the start'),
('deprecated', 'redacted', 'curator', 'must not be shown again'),
('expired', 'active', 'curator', 'renewed, with a later expiry or none'),
('expired', 'redacted', 'curator', 'must not be shown again'),
('rejected', 'proposed', 'member', 'put forward again'),
('rejected', 'redacted', 'curator', 'must not be shown again'),
('retracted', 'redacted', 'curator', 'must not be shown again, in the past neither');

-- The states repeat those with an edge to expired, as an index cannot look them up.
create index knowledge_due_to_expire on memhouse.knowledge (expires_at)
where expires_at is not null
    and lifecycle_state in ('proposed', 'provisional', 'held', 'active', 'needs_revalidation', 'contested', 'deprecated');
create index knowledge_due_for_revalidation on memhouse.knowledge (revalidate_at)
where revalidate_at is not null and lifecycle_state = 'active';

create table memhouse.lifecycle_change (
    account_id uuid not null,
    change_id uuid not null,
    knowledge_id uuid not null,
    from_state memhouse.lifecycle_state not null,
    to_state memhouse.lifecycle_state not null,
    effective_at timestamptz not null,
    changed_at timestamptz not null default clock_timestamp(),
    changed_by uuid,
    db_role name not null,
    reason text check (char_length(reason) between 1 and 2000),
    primary key (account_id, change_id),
    foreign key (account_id, knowledge_id) references memhouse.knowledge on delete cascade
);
create index lifecycle_change_knowledge on memhouse.lifecycle_change (account_id, knowledge_id);
comment on table memhouse.lifecycle_change is
    'Who moved which statement from which state to which, when and why. Beside the audit log, since a reason may repeat a text and must go when the statement is erased.';
comment on column memhouse.lifecycle_change.effective_at is 'The instant in belief time: when a date was due, or when the change was made.';
comment on column memhouse.lifecycle_change.changed_by is 'The acting credential; null for server-side work and jobs, of which db_role says more.';

create table memhouse.tombstone (
    account_id uuid not null references memhouse.account on delete cascade,
    id uuid not null,
    erased_at timestamptz not null default clock_timestamp(),
    erased_by uuid,
    primary key (account_id, id)
);
comment on table memhouse.tombstone is 'What was erased, without any of its content: the id, when, and by which credential (null: an administrator or server-side work).';

create table memhouse.job (
    job_name text primary key,
    every interval not null check (every > interval '0'),
    enabled boolean not null default true,
    next_run_at timestamptz not null default now(),
    last_started_at timestamptz,
    last_finished_at timestamptz,
    last_rows integer,
    last_error text,
    description text not null
);
comment on table memhouse.job is 'Work that is done unasked, and when. Nothing that a reader sees depends on a job having run.';
insert into memhouse.job (job_name, every, description) values
('sweep_expired', '1 hour', 'moves statements whose expiry has passed to expired'),
('sweep_revalidation', '1 hour', 'moves statements whose revalidation date has passed to needs_revalidation'),
('refresh_projections', '10 minutes', 'reads new statements into the index of names, and brings recall documents up to date where an account uses them');

insert into memhouse.server_setting (name, value, unit, description) values
('sweep_rows', '50000', 'rows', 'One run of a sweep moves at most this many statements; the next run goes on.'),
('sweep_ms', '10000', 'ms', 'One run of a sweep stops after this long; the next run goes on.');

reset role;
