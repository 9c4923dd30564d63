"""Every SQL text the client sends; no other module holds any.

Each parameter carries its cast, so that a wrong Python type becomes a data error with a name rather
than "function does not exist". Vectors carry none: they travel as text and take the type of the
function's parameter, wherever pgvector is installed.
"""

from __future__ import annotations

from typing import Final

BEGIN: Final = "begin"
COMMIT: Final = "commit"

# Inside a transaction of the caller's own.
SAVEPOINT: Final = "savepoint memhouse_client"
ROLLBACK_TO: Final = "rollback to savepoint memhouse_client"
RELEASE: Final = "release savepoint memhouse_client"

# Transaction-local: the settings end with the transaction, or with the savepoint rolled back to.
# Once statement_timeout has fired and was caught in the server, only lock_timeout still bounds a wait.
SET_TIMEOUT: Final = """
select
    set_config('statement_timeout', %(timeout_ms)s::int::text, true),
    set_config('lock_timeout', %(timeout_ms)s::int::text, true)
"""

# The profile's own deadline, less what was spent before sending; the server knows it, the client does not.
SET_PROFILE_TIMEOUT: Final = """
select ms, set_config('statement_timeout', ms::text, true), set_config('lock_timeout', ms::text, true)
from (
    select greatest(1, memhouse.profile_deadline_ms(%(profile)s::text) - %(spent_ms)s::int) as ms
) as deadline
"""

BEGIN_READ: Final = """
select account_key, reader_posture, peer_key, scopes, clearance::text, known_at
from memhouse.begin_read(
    p_credential => %(credential)s::text,
    p_peer_key => %(peer_key)s::text,
    p_scope => %(scope)s::text,
    p_known_at => %(known_at)s::timestamptz
)
"""

BEGIN_WRITE: Final = "select * from memhouse.begin_write(p_credential => %(credential)s::text)"

SEARCH_REPORT: Final = """
select memhouse.search_report(
    p_query => %(query)s::text,
    p_embedding => %(embedding)s,
    p_profile => %(profile)s::text,
    p_limit => %(limit)s::int,
    p_as_of => %(as_of)s::timestamptz,
    p_filters => %(filters)s::jsonb,
    p_deadline_ms => %(deadline_ms)s::int,
    p_identity => %(identity)s::text
)
"""

# The same under the timeout that SET_PROFILE_TIMEOUT has set.
SEARCH_REPORT_PROFILE_DEADLINE: Final = SEARCH_REPORT.replace(
    "%(deadline_ms)s::int",
    """(
        select greatest(1, ms - least(%(margin_ms)s::int, ms / 5))
        from (
            select extract(epoch from current_setting('statement_timeout')::interval)::numeric * 1000 as ms
        ) as timeout
    )::int""",
)

LIST_KNOWLEDGE: Final = """
select
    id, statement, kind, subject_peer, scope, sensitivity, target_level, state, confidence,
    -- As text, since PostgreSQL's calendar is wider than Python's.
    to_json(relevant_from) #>> '{}' as relevant_from,
    to_json(relevant_until) #>> '{}' as relevant_until,
    to_json(recorded_at) #>> '{}' as recorded_at,
    to_json(expires_at) #>> '{}' as expires_at,
    sources, metadata
from memhouse.list_knowledge(
    p_filters => %(filters)s::jsonb, p_after => %(after)s::uuid, p_limit => %(limit)s::int
)
"""

OBSERVE: Final = """
select memhouse.observe(
    p_scope => %(scope)s::text,
    p_content => %(content)s::text,
    p_role => %(role)s::text,
    p_peer_key => %(peer_key)s::text,
    p_occurred_at => coalesce(%(occurred_at)s::timestamptz, now()),
    p_source_key => %(source_key)s::text,
    p_session_key => %(session_key)s::text,
    p_metadata => %(metadata)s::jsonb,
    p_sensitivity => %(sensitivity)s::text
)
"""

REMEMBER: Final = """
select memhouse.remember(
    p_scope => %(scope)s::text,
    p_statement => %(statement)s::text,
    p_subject_peer => %(subject_peer)s::text,
    p_kind => %(kind)s::text,
    p_sensitivity => %(sensitivity)s::text,
    p_target_level => %(target_level)s::text,
    p_confidence => %(confidence)s::real,
    p_relevant_from => %(relevant_from)s::timestamptz,
    p_relevant_until => %(relevant_until)s::timestamptz,
    p_expires_at => %(expires_at)s::timestamptz,
    p_sources => %(sources)s::uuid[],
    p_embedding => %(embedding)s,
    p_metadata => %(metadata)s::jsonb,
    p_source_key => %(source_key)s::text,
    p_state => %(state)s::text,
    p_identity => %(identity)s::text
)
"""

RELATE: Final = """
select memhouse.relate(
    p_from => %(from_id)s::uuid,
    p_to => %(to_id)s::uuid,
    p_type => %(relation)s::text,
    p_confidence => %(confidence)s::real
)
"""

TRANSITION: Final = """
select memhouse.transition(
    p_id => %(id)s::uuid, p_state => %(state)s::text, p_reason => %(reason)s::text
)
"""

ERASE: Final = """
select memhouse.erase(p_id => %(id)s::uuid, p_keep_sources => %(keep_sources)s::boolean)
"""

STORE_EMBEDDING: Final = """
select memhouse.store_embedding(
    p_id => %(id)s::uuid, p_embedding => %(embedding)s, p_identity => %(identity)s::text
)
"""

UNEMBEDDED: Final = """
select id, statement
from memhouse.unembedded(
    p_identity => %(identity)s::text, p_limit => %(limit)s::int, p_after => %(after)s::uuid
)
"""

EMBEDDING_IDENTITIES: Final = """
select identity_id, identity_key, provider, model, version, dimensions, query_prefix, is_default
from memhouse.embedding_identities()
"""

SERVER_CLOCK: Final = "select clock_timestamp()"

# Administration, for the CLI and the importer.
CREATE_ACCOUNT: Final = """
select memhouse.create_account(p_account => %(account)s::text, p_settings => %(settings)s::jsonb)
"""

CREATE_SCOPE: Final = """
select memhouse.create_scope(
    p_account => %(account)s::text, p_scope => %(scope)s::text, p_parent => %(parent)s::text
)
"""

CREATE_PEER: Final = """
select memhouse.create_peer(
    p_account => %(account)s::text,
    p_peer_key => %(peer_key)s::text,
    p_display_name => %(display_name)s::text
)
"""

CREATE_CREDENTIAL: Final = """
select memhouse.create_credential(
    p_account => %(account)s::text,
    p_name => %(name)s::text,
    p_kind => %(kind)s::text,
    p_peer_key => %(peer_key)s::text,
    p_clearance => %(clearance)s::text,
    p_db_role => %(db_role)s::name,
    p_expires_at => %(expires_at)s::timestamptz
)
"""

REVOKE_CREDENTIAL: Final = """
select memhouse.revoke_credential(
    p_account => %(account)s::text, p_credential => %(credential_name)s::text
)
"""

GRANT_SCOPE: Final = """
select memhouse.grant_scope(
    p_account => %(account)s::text,
    p_credential => %(credential_name)s::text,
    p_scope => %(scope)s::text,
    p_role => %(role)s::text,
    p_effect => %(effect)s::text
)
"""

REGISTER_EMBEDDING_IDENTITY: Final = """
select memhouse.register_embedding_identity(
    p_provider => %(provider)s::text,
    p_model => %(model)s::text,
    p_version => %(version)s::text,
    p_dimensions => %(dimensions)s::int,
    p_query_prefix => %(query_prefix)s::text
)
"""

# Examination of a server, for `memhouse doctor`.
SERVER: Final = """
select
    current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_num,
    current_database() as database,
    current_user::text as role,
    pg_is_in_recovery() as standby
"""

EXTENSIONS: Final = """
select
    wanted.name,
    installed.extversion as installed,
    available.default_version as available,
    installed.extnamespace::regnamespace::text as schema
from unnest(array['vector', 'pg_cron', 'plpython3u']) with ordinality as wanted (name, position)
left join pg_catalog.pg_extension as installed on installed.extname = wanted.name
left join pg_catalog.pg_available_extensions as available on available.name = wanted.name
order by wanted.position
"""

ROLES: Final = """
select
    wanted.name,
    found.oid is not null as present,
    found.rolcanlogin as can_login,
    found.rolsuper or found.rolbypassrls as too_strong
from unnest(%(roles)s::text[]) with ordinality as wanted (name, position)
left join pg_catalog.pg_roles as found on found.rolname = wanted.name
order by wanted.position
"""

TABLES: Final = """
select relation.relname::text as name, relation.relrowsecurity, relation.relforcerowsecurity
from pg_catalog.pg_class as relation
where relation.relnamespace = to_regnamespace('memhouse')
    and relation.relkind in ('r', 'p')
order by relation.relname
"""

STRONG_LOGINS: Final = """
select
    login.rolname::text as name,
    login.rolsuper as is_superuser,
    login.rolbypassrls as bypasses_rls,
    to_regrole('memhouse_owner') is not null
        and pg_has_role(login.oid, to_regrole('memhouse_owner'), 'member') as is_owner
from pg_catalog.pg_roles as login
where login.rolcanlogin
order by login.rolname
"""

MIGRATING_ROLES: Final = """
select distinct pg_get_userbyid(space.nspowner)::text as name
from pg_catalog.pg_namespace as space
where space.nspname = 'memhouse_migrations'
"""

SCHEMA_OPEN_TO_PUBLIC: Final = """
select space.nspname::text as name
from pg_catalog.pg_namespace as space
cross join lateral aclexplode(coalesce(space.nspacl, acldefault('n', space.nspowner))) as entry
where entry.grantee = 0 and entry.privilege_type = 'CREATE'
    and (
        space.nspname = 'memhouse'
        or space.oid = (select extnamespace from pg_catalog.pg_extension where extname = 'vector')
    )
order by space.nspname
"""

TEXT_SEARCH: Final = """
select exists (
    select from pg_catalog.pg_ts_config
    where cfgname = 'english' and cfgnamespace = 'pg_catalog'::regnamespace
) as english
"""

EXPORT_ACCOUNT: Final = """
select archived::jsonb ->> 'table' as table_name, archived
from memhouse.export_account(p_account => %(account)s::text) as archived
"""

RESTORE_ROWS: Final = """
select memhouse.restore_rows(
    p_table => %(table)s::text,
    p_rows => (
        select jsonb_agg(archived.line -> 'row' order by archived.position)
        from jsonb_array_elements(%(lines)s::text::jsonb) with ordinality as archived (line, position)
    )
)
"""

RENEW_CREDENTIAL: Final = (
    "select memhouse.renew_credential(p_account => %(account)s::text, p_credential => %(name)s::text)"
)
ERASE_PEER: Final = (
    "select * from memhouse.erase_peer(p_account => %(account)s::text, p_peer_key => %(peer_key)s::text)"
)

JOBS: Final = """
select job_name, every::text, enabled, next_run_at, last_started_at, last_finished_at, last_rows, last_error, description
from memhouse.jobs()
"""
RUN_JOB: Final = "select %(job)s::text, memhouse.run_job(p_job => %(job)s::text)"
RUN_DUE_JOBS: Final = "select job_name, changed from memhouse.run_due_jobs()"
INSTALL_JOBS: Final = "select memhouse.install_jobs(p_schedule => %(schedule)s::text, p_role => %(role)s::name)"
UNINSTALL_JOBS: Final = "select memhouse.uninstall_jobs()"

# Authority, for `memhouse policies` and `memhouse explain-admission`.
EXPLAIN_ADMISSION: Final = """
select condition, holds, detail
from memhouse.explain_admission(
    p_account => %(account)s::text,
    p_credential => %(credential_name)s::text,
    p_id => %(id)s::uuid,
    p_peer_key => %(peer_key)s::text
)
"""

EFFECTIVE_ACCESS: Final = """
select scope, role, through, about_others, about_reader, shared
from memhouse.effective_access(
    p_account => %(account)s::text, p_credential => %(credential_name)s::text, p_peer_key => %(peer_key)s::text
)
"""

# What a database role may do in the schema, through which role, and which policies decide about rows.
ROLE_POLICIES: Final = """
with wanted as (select %(role)s::name::regrole::oid as role_oid),
granted as (
    select 'table' as kind, relation.oid, relation.oid::regclass::text as object, entry.grantee, entry.privilege_type
    from pg_catalog.pg_class as relation, aclexplode(relation.relacl) as entry
    where relation.relnamespace = 'memhouse'::regnamespace and relation.relkind in ('r', 'p', 'v')
    union all
    select 'function', routine.oid, routine.oid::regprocedure::text, entry.grantee, entry.privilege_type
    from pg_catalog.pg_proc as routine, aclexplode(routine.proacl) as entry
    where routine.pronamespace = 'memhouse'::regnamespace
)
select
    granted.kind,
    granted.object,
    array_agg(distinct lower(granted.privilege_type) order by lower(granted.privilege_type)) as privileges,
    array_agg(distinct granted.grantee::regrole::text order by granted.grantee::regrole::text) as through,
    coalesce((
        select jsonb_object_agg(
            policy.polname, coalesce(pg_get_expr(policy.polqual, policy.polrelid),
                                     pg_get_expr(policy.polwithcheck, policy.polrelid)))
        from pg_catalog.pg_policy as policy
        where granted.kind = 'table' and policy.polrelid = granted.oid
            and exists (
                select from unnest(policy.polroles) as reached (role_oid)
                where pg_has_role(wanted.role_oid, reached.role_oid, 'usage'))
    ), '{}') as policies
from granted
cross join wanted
where pg_has_role(wanted.role_oid, granted.grantee, 'usage')
group by wanted.role_oid, granted.kind, granted.oid, granted.object
order by granted.kind desc, granted.object
"""
