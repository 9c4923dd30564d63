"""Every SQL text the client sends; no other module holds any.

Each parameter carries its cast, so that a wrong Python type becomes a data error with a name rather
than "function does not exist". Vectors carry none: they take the type of the function's parameter,
wherever pgvector is installed.

Every type and function is named with its schema. Behind a transaction pool another tenant may have left
a search_path or a temporary domain named "text" on the connection: a cast to it would hand over the token.
"""

from __future__ import annotations

from typing import Final

BEGIN: Final = "begin"
COMMIT: Final = "commit"

# Inside a transaction of the caller's own.
SAVEPOINT: Final = "savepoint memhouse_client"
ROLLBACK_TO: Final = "rollback to savepoint memhouse_client"
RELEASE: Final = "release savepoint memhouse_client"


def _backstop(ms: str) -> str:
    """What ends the whole transaction a second later, should nothing else: PostgreSQL 17 and later have that."""
    return f"""case when pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 170000
        then pg_catalog.set_config('transaction_timeout', (least({ms}, 2000000000) + 1000)::pg_catalog.text, true) end"""


# Transaction-local: the settings end with the transaction, or with the savepoint rolled back to.
# Once statement_timeout has fired and was caught in the server, only lock_timeout still bounds a wait.
SET_TIMEOUT: Final = f"""
select
    pg_catalog.set_config('statement_timeout', %(timeout_ms)s::int::pg_catalog.text, true),
    pg_catalog.set_config('lock_timeout', %(timeout_ms)s::int::pg_catalog.text, true),
    {_backstop("%(timeout_ms)s::int")}
"""

# The same bound for a statement that traps nothing; parsed in a fifth of the time. A whole number is all that is put in.
SET_STATEMENT_TIMEOUT: Final = "set local statement_timeout = {ms:d}"

_READER = "account_key, reader_posture, peer_key, scopes, clearance, known_at"
_BEGIN = """
    p_credential => %(credential)s::pg_catalog.text,
    p_peer_key => %(peer_key)s::pg_catalog.text,
    p_scope => %(scope)s::pg_catalog.text,
    p_known_at => %(known_at)s::pg_catalog.timestamptz
"""

BEGIN_READ: Final = f"select {_READER} from memhouse.begin_read({_BEGIN})"

# Begins a read and bounds the search that follows. p_spent_ms: of the deadline of the profile, which only the server knows.
BEGIN_SEARCH: Final = f"""
select {_READER}, deadline_ms, timeout_ms, {_backstop("timeout_ms")}
from memhouse.begin_search({_BEGIN},
    p_profile => %(profile)s::pg_catalog.text,
    p_deadline_ms => %(deadline_ms)s::int,
    p_spent_ms => %(spent_ms)s::int
)
"""

BEGIN_INTERNAL: Final = "select * from memhouse.begin_internal(p_account => %(account)s::pg_catalog.text)"

BEGIN_WRITE: Final = "select * from memhouse.begin_write(p_credential => %(credential)s::pg_catalog.text)"

_SEARCH_ARGUMENTS = """
    p_query => %(query)s::pg_catalog.text,
    p_embedding => %(embedding)s,
    p_profile => %(profile)s::pg_catalog.text,
    p_limit => %(limit)s::int,
    p_as_of => %(as_of)s::pg_catalog.timestamptz,
    p_filters => %(filters)s::pg_catalog.jsonb,
    p_identity => %(identity)s::pg_catalog.text
"""

SEARCH_REPORT: Final = f"select memhouse.search_report({_SEARCH_ARGUMENTS})"
EXPLAIN_SEARCH: Final = f"select memhouse.explain_search({_SEARCH_ARGUMENTS})"

# A read over several connections, all in the snapshot that the first one exports.
BEGIN_SNAPSHOT: Final = "begin isolation level repeatable read, read only"
EXPORT_SNAPSHOT: Final = "select pg_catalog.pg_export_snapshot()"
# The identifier cannot be a parameter; core checks that it is nothing but an identifier.
SET_SNAPSHOT: Final = "set transaction snapshot '{snapshot}'"

PLAN_SEARCH: Final = f"select memhouse.plan_search({_SEARCH_ARGUMENTS})"
RUN_SEARCH_PART: Final = "select memhouse.run_search_part(%(plan)s::pg_catalog.text, %(strategy)s::pg_catalog.text)"
FINISH_SEARCH: Final = "select memhouse.finish_search(%(plan)s::pg_catalog.text, %(parts)s::pg_catalog.text[])"

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
    p_filters => %(filters)s::pg_catalog.jsonb, p_after => %(after)s::pg_catalog.uuid, p_limit => %(limit)s::int
)
"""

IMPORT_BATCH: Final = "select memhouse.import_batch(p_lines => %(lines)s::pg_catalog.jsonb)"

OBSERVE: Final = """
select memhouse.observe(
    p_scope => %(scope)s::pg_catalog.text,
    p_content => %(content)s::pg_catalog.text,
    p_role => %(role)s::pg_catalog.text,
    p_peer_key => %(peer_key)s::pg_catalog.text,
    p_occurred_at => coalesce(%(occurred_at)s::pg_catalog.timestamptz, pg_catalog.now()),
    p_source_key => %(source_key)s::pg_catalog.text,
    p_session_key => %(session_key)s::pg_catalog.text,
    p_metadata => %(metadata)s::pg_catalog.jsonb,
    p_sensitivity => %(sensitivity)s::pg_catalog.text
)
"""

REMEMBER: Final = """
select memhouse.remember(
    p_scope => %(scope)s::pg_catalog.text,
    p_statement => %(statement)s::pg_catalog.text,
    p_subject_peer => %(subject_peer)s::pg_catalog.text,
    p_kind => %(kind)s::pg_catalog.text,
    p_sensitivity => %(sensitivity)s::pg_catalog.text,
    p_target_level => %(target_level)s::pg_catalog.text,
    p_confidence => %(confidence)s::real,
    p_relevant_from => %(relevant_from)s::pg_catalog.timestamptz,
    p_relevant_until => %(relevant_until)s::pg_catalog.timestamptz,
    p_expires_at => %(expires_at)s::pg_catalog.timestamptz,
    p_sources => %(sources)s::pg_catalog.uuid[],
    p_embedding => %(embedding)s,
    p_metadata => %(metadata)s::pg_catalog.jsonb,
    p_source_key => %(source_key)s::pg_catalog.text,
    p_state => %(state)s::pg_catalog.text,
    p_identity => %(identity)s::pg_catalog.text
)
"""

RELATE: Final = """
select memhouse.relate(
    p_from => %(from_id)s::pg_catalog.uuid,
    p_to => %(to_id)s::pg_catalog.uuid,
    p_type => %(relation)s::pg_catalog.text,
    p_confidence => %(confidence)s::real
)
"""

TRANSITION: Final = """
select memhouse.transition(
    p_id => %(id)s::pg_catalog.uuid, p_state => %(state)s::pg_catalog.text, p_reason => %(reason)s::pg_catalog.text
)
"""

ERASE: Final = """
select memhouse.erase(p_id => %(id)s::pg_catalog.uuid, p_keep_sources => %(keep_sources)s::boolean)
"""

PROPOSE_PROMOTION: Final = """
select memhouse.propose_promotion(p_id => %(id)s::pg_catalog.uuid, p_level => %(level)s::pg_catalog.text)
"""

CONSENT: Final = "select memhouse.consent(p_id => %(id)s::pg_catalog.uuid)"

DECLINE: Final = """
select memhouse.decline(p_id => %(id)s::pg_catalog.uuid, p_reason => %(reason)s::pg_catalog.text)
"""

PROMOTIONS: Final = """
select id, statement, subject_peer, target_level, state, proposed_at, decided_at, reason
from memhouse.promotions()
"""

STORE_EMBEDDING: Final = """
select memhouse.store_embedding(
    p_id => %(id)s::pg_catalog.uuid, p_embedding => %(embedding)s, p_identity => %(identity)s::pg_catalog.text
)
"""

UNEMBEDDED: Final = """
select id, statement
from memhouse.unembedded(
    p_identity => %(identity)s::pg_catalog.text, p_limit => %(limit)s::int, p_after => %(after)s::pg_catalog.uuid
)
"""

STORE_TOKEN_VECTORS: Final = """
select memhouse.store_token_vectors(p_id => %(id)s::pg_catalog.uuid, p_model => %(model)s::pg_catalog.text, p_bits => %(bits)s::pg_catalog.bytea)
"""

WITHOUT_TOKEN_VECTORS: Final = """
select id, statement
from memhouse.without_token_vectors(
    p_model => %(model)s::pg_catalog.text, p_limit => %(limit)s::int, p_after => %(after)s::pg_catalog.uuid
)
"""

RERANK_VECTORS: Final = """
select id, bits from memhouse.rerank_vectors(p_ids => %(ids)s::pg_catalog.uuid[], p_model => %(model)s::pg_catalog.text)
"""

EMBEDDING_IDENTITIES: Final = """
select identity_id, identity_key, provider, model, version, dimensions, query_prefix, is_default
from memhouse.embedding_identities()
"""

SERVER_CLOCK: Final = "select pg_catalog.clock_timestamp()"

# Administration, for the CLI and the importer.
CREATE_ACCOUNT: Final = """
select memhouse.create_account(p_account => %(account)s::pg_catalog.text, p_settings => %(settings)s::pg_catalog.jsonb)
"""

CREATE_SCOPE: Final = """
select memhouse.create_scope(
    p_account => %(account)s::pg_catalog.text, p_scope => %(scope)s::pg_catalog.text, p_parent => %(parent)s::pg_catalog.text
)
"""

LINK_SCOPES: Final = """
select memhouse.link_scopes(
    p_account => %(account)s::pg_catalog.text, p_from => %(from_scope)s::pg_catalog.text, p_to => %(to_scope)s::pg_catalog.text
)
"""

UNLINK_SCOPES: Final = """
select memhouse.unlink_scopes(
    p_account => %(account)s::pg_catalog.text, p_from => %(from_scope)s::pg_catalog.text, p_to => %(to_scope)s::pg_catalog.text
)
"""

CREATE_PEER: Final = """
select memhouse.create_peer(
    p_account => %(account)s::pg_catalog.text,
    p_peer_key => %(peer_key)s::pg_catalog.text,
    p_display_name => %(display_name)s::pg_catalog.text
)
"""

CREATE_CREDENTIAL: Final = """
select memhouse.create_credential(
    p_account => %(account)s::pg_catalog.text,
    p_name => %(name)s::pg_catalog.text,
    p_kind => %(kind)s::pg_catalog.text,
    p_peer_key => %(peer_key)s::pg_catalog.text,
    p_clearance => %(clearance)s::pg_catalog.text,
    p_db_role => %(db_role)s::pg_catalog.name,
    p_expires_at => %(expires_at)s::pg_catalog.timestamptz
)
"""

REVOKE_CREDENTIAL: Final = """
select memhouse.revoke_credential(
    p_account => %(account)s::pg_catalog.text, p_credential => %(credential_name)s::pg_catalog.text
)
"""

GRANT_SCOPE: Final = """
select memhouse.grant_scope(
    p_account => %(account)s::pg_catalog.text,
    p_credential => %(credential_name)s::pg_catalog.text,
    p_scope => %(scope)s::pg_catalog.text,
    p_role => %(role)s::pg_catalog.text,
    p_effect => %(effect)s::pg_catalog.text
)
"""

REGISTER_EMBEDDING_IDENTITY: Final = """
select memhouse.register_embedding_identity(
    p_provider => %(provider)s::pg_catalog.text,
    p_model => %(model)s::pg_catalog.text,
    p_version => %(version)s::pg_catalog.text,
    p_dimensions => %(dimensions)s::int,
    p_query_prefix => %(query_prefix)s::pg_catalog.text
)
"""

EMBEDDING_STATUS: Final = """
select account_key, identity_key, is_current, vectors, missing, stale
from memhouse.embedding_status(p_account => %(account)s::pg_catalog.text)
"""

SWITCH_EMBEDDING_IDENTITY: Final = """
select memhouse.switch_embedding_identity(
    p_account => %(account)s::pg_catalog.text,
    p_identity_key => %(identity)s::pg_catalog.text,
    p_incomplete => %(incomplete)s::pg_catalog.bool
)
"""

DROP_EMBEDDING_IDENTITY: Final = """
select memhouse.drop_embedding_identity(p_identity_key => %(identity)s::pg_catalog.text)
"""

# Examination of a server, for `memhouse doctor`.
SERVER: Final = """
select
    pg_catalog.current_setting('server_version') as version,
    pg_catalog.current_setting('server_version_num')::int as version_num,
    current_database() as database,
    current_user::pg_catalog.text as role,
    pg_is_in_recovery() as standby
"""

EXTENSIONS: Final = """
select
    wanted.name,
    installed.extversion as installed,
    available.default_version as available,
    installed.extnamespace::pg_catalog.regnamespace::pg_catalog.text as schema
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
from unnest(%(roles)s::pg_catalog.text[]) with ordinality as wanted (name, position)
left join pg_catalog.pg_roles as found on found.rolname = wanted.name
order by wanted.position
"""

TABLES: Final = """
select relation.relname::pg_catalog.text as name, relation.relrowsecurity, relation.relforcerowsecurity
from pg_catalog.pg_class as relation
where relation.relnamespace = to_regnamespace('memhouse')
    and relation.relkind in ('r', 'p')
order by relation.relname
"""

FUNCTIONS: Final = """
select function.proname::pg_catalog.text as name, count(*) as overloads
from pg_catalog.pg_proc as function
where function.pronamespace = to_regnamespace('memhouse')
group by function.proname
order by function.proname
"""

STRONG_LOGINS: Final = """
select
    login.rolname::pg_catalog.text as name,
    login.rolsuper as is_superuser,
    login.rolbypassrls as bypasses_rls,
    to_regrole('memhouse_owner') is not null
        and pg_has_role(login.oid, to_regrole('memhouse_owner'), 'member') as is_owner
from pg_catalog.pg_roles as login
where login.rolcanlogin
order by login.rolname
"""

MIGRATING_ROLES: Final = """
select distinct pg_get_userbyid(space.nspowner)::pg_catalog.text as name
from pg_catalog.pg_namespace as space
where space.nspname = 'memhouse_migrations'
"""

SCHEMA_OPEN_TO_PUBLIC: Final = """
select space.nspname::pg_catalog.text as name
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
    where cfgname = 'english' and cfgnamespace = 'pg_catalog'::pg_catalog.regnamespace
) as english
"""

EXPORT_ACCOUNT: Final = """
select archived::pg_catalog.jsonb ->> 'table' as table_name, archived
from memhouse.export_account(p_account => %(account)s::pg_catalog.text) as archived
"""

RESTORE_ROWS: Final = """
select memhouse.restore_rows(
    p_table => %(table)s::pg_catalog.text,
    p_rows => (
        select jsonb_agg(archived.line -> 'row' order by archived.position)
        from jsonb_array_elements(%(lines)s::pg_catalog.text::pg_catalog.jsonb) with ordinality as archived (line, position)
    )
)
"""

RENEW_CREDENTIAL: Final = "select memhouse.renew_credential(p_account => %(account)s::pg_catalog.text, p_credential => %(name)s::pg_catalog.text)"
ERASE_PEER: Final = "select * from memhouse.erase_peer(p_account => %(account)s::pg_catalog.text, p_peer_key => %(peer_key)s::pg_catalog.text)"

JOBS: Final = """
select job_name, every::pg_catalog.text, enabled, next_run_at, last_started_at, last_finished_at, last_rows, last_error, description
from memhouse.jobs()
"""
RUN_JOB: Final = "select %(job)s::pg_catalog.text, memhouse.run_job(p_job => %(job)s::pg_catalog.text)"
RUN_DUE_JOBS: Final = "select job_name, changed from memhouse.run_due_jobs()"
INSTALL_JOBS: Final = (
    "select memhouse.install_jobs(p_schedule => %(schedule)s::pg_catalog.text, p_role => %(role)s::pg_catalog.name)"
)
UNINSTALL_JOBS: Final = "select memhouse.uninstall_jobs()"

# Authority, for `memhouse policies` and `memhouse explain-admission`.
EXPLAIN_ADMISSION: Final = """
select condition, holds, detail
from memhouse.explain_admission(
    p_account => %(account)s::pg_catalog.text,
    p_credential => %(credential_name)s::pg_catalog.text,
    p_id => %(id)s::pg_catalog.uuid,
    p_peer_key => %(peer_key)s::pg_catalog.text
)
"""

EFFECTIVE_ACCESS: Final = """
select scope, role, through, about_others, about_reader, shared
from memhouse.effective_access(
    p_account => %(account)s::pg_catalog.text, p_credential => %(credential_name)s::pg_catalog.text, p_peer_key => %(peer_key)s::pg_catalog.text
)
"""

# What a database role may do in the schema, through which role, and which policies decide about rows.
ROLE_POLICIES: Final = """
with wanted as (select %(role)s::pg_catalog.name::pg_catalog.regrole::pg_catalog.oid as role_oid),
granted as (
    select 'table' as kind, relation.oid, relation.oid::pg_catalog.regclass::pg_catalog.text as object, entry.grantee, entry.privilege_type
    from pg_catalog.pg_class as relation, aclexplode(relation.relacl) as entry
    where relation.relnamespace = 'memhouse'::pg_catalog.regnamespace and relation.relkind in ('r', 'p', 'v')
    union all
    select 'function', routine.oid, routine.oid::pg_catalog.regprocedure::pg_catalog.text, entry.grantee, entry.privilege_type
    from pg_catalog.pg_proc as routine, aclexplode(routine.proacl) as entry
    where routine.pronamespace = 'memhouse'::pg_catalog.regnamespace
)
select
    granted.kind,
    granted.object,
    array_agg(distinct lower(granted.privilege_type) order by lower(granted.privilege_type)) as privileges,
    array_agg(distinct granted.grantee::pg_catalog.regrole::pg_catalog.text order by granted.grantee::pg_catalog.regrole::pg_catalog.text) as through,
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
