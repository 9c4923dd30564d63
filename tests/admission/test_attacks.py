"""What whoever may select from tables can type. Every attack ends with the check that nothing hidden was heard (see conftest)."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import select
import threading
import time

import psycopg
import pytest

from memhouse_thin import Client
from support.fortress import Attacker, Fortress

FORGED_FIELDS = {
    "another account": ("account_id", "select account_id from memhouse.account where account_key = 'rival'"),
    "every scope": ("scopes", "select array_agg(scope_id) from memhouse.scope"),
    "highest clearance": ("clearance", "select 'restricted'"),
    "server-side work": ("posture", "select 'internal'"),
    "another peer": ("peer_id", "select peer_id from memhouse.peer where peer_key = 'noa' limit 1"),
    "another credential": (
        "credential_id",
        "select credential_id from memhouse.credential where credential_name = 'boss'",
    ),
    "no credential to check": ("credential_id", "select null"),
    "write scopes": ("write_scopes", "select array_agg(scope_id) from memhouse.scope"),
}


# --- the posture -------------------------------------------------------------------------------


@pytest.mark.parametrize("forgery", FORGED_FIELDS)
def test_an_edited_posture(attacker: Attacker, fortress: Fortress, forgery: str) -> None:
    name, source = FORGED_FIELDS[forgery]
    attacker.begin()
    genuine = attacker.value("select current_setting('memhouse.reader')")
    with fortress.admin() as admin:
        value = admin.execute(source).fetchone()[0]
        forged = admin.execute(
            "select jsonb_populate_record(%s::memhouse.reader, jsonb_build_object(%s::text, to_jsonb(%s::{})))::text".format(
                "uuid[]" if "scopes" in name else "text"
            ),
            (genuine, name, value),
        ).fetchone()[0]
    assert forged != genuine
    attacker.run("select set_config('memhouse.reader', %s, true)", forged)
    assert attacker.refused("select * from memhouse.knowledge") == "MH002"
    assert attacker.refused("select * from memhouse.search('topic')") == "MH002"
    attacker.run("select set_config('memhouse.reader', %s, true)", genuine)
    assert attacker.sees() == fortress.visible


def test_a_posture_made_by_hand(attacker: Attacker, fortress: Fortress) -> None:
    attacker.begin()
    genuine = attacker.value("select current_setting('memhouse.reader')")
    attacker.run("commit")
    attacker.begin(None)
    attacker.run("select set_config('memhouse.reader', %s, true)", genuine)
    seals = (
        "",
        "1",
        "1:",
        ":",
        "0:00",
        "-1:00",
        "1:" + "0" * 64,
        "999999999:00",
        "9999999999:00",
        "x:y",
        "1:\n",
        "١:00",
    )
    for seal in seals:
        attacker.run("select set_config('memhouse.seal', %s, true)", seal)
        assert attacker.refused("select * from memhouse.knowledge") == "MH002", seal
    attacker.run("reset memhouse.seal")
    assert attacker.refused("select * from memhouse.knowledge") == "MH002"


@pytest.mark.parametrize("is_local", [True, False])
def test_a_replayed_posture(attacker: Attacker, is_local: bool) -> None:
    attacker.begin("rival")
    reader, seal = attacker.run("select current_setting('memhouse.reader'), current_setting('memhouse.seal')")[0]
    attacker.run("commit")
    attacker.begin(None)
    attacker.run(
        "select set_config('memhouse.reader', %s, %s), set_config('memhouse.seal', %s, %s)",
        reader,
        is_local,
        seal,
        is_local,
    )
    assert attacker.refused("select * from memhouse.knowledge") == "MH002"
    attacker.run("rollback")


KEEP = "select set_config('spy.reader', current_setting('memhouse.reader'), false), set_config('spy.seal', current_setting('memhouse.seal'), false)"
REPLAY = "select set_config('memhouse.reader', current_setting('spy.reader'), true), set_config('memhouse.seal', current_setting('spy.seal'), true)"


def one_message(attacker: Attacker, *statements: str) -> list[str]:
    """Sends all statements as one message of the simple query protocol: the last value of each, or the SQLSTATE that ended it."""
    pgconn = attacker.conn.pgconn
    pgconn.send_query("; ".join(statements).encode())
    said = []

    def next_result() -> psycopg.pq.PGresult | None:
        # Waits where other threads can run meanwhile.
        while pgconn.is_busy():
            assert select.select([pgconn.socket], [], [], 30)[0]
            pgconn.consume_input()
        return pgconn.get_result()

    while (result := next_result()) is not None:
        failed = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
        rows = [result.get_value(row, column) for row in range(result.ntuples) for column in range(result.nfields)]
        attacker.heard.append(repr(rows) + result.error_message.decode())
        said.append((failed or (rows[-1] if rows else None) or b"").decode())
    return said


def begins(fortress: Fortress, who: str) -> str:
    return f"select from memhouse.begin_read('{fortress.tokens[who]}'::text)"


COUNT = "select count(*) from memhouse.knowledge"


def test_a_posture_replayed_within_one_message(attacker: Attacker, fortress: Fortress) -> None:
    """Its transactions begin at one instant, so the seal holds among them, and shows what the credential given shows."""
    first = ("begin", begins(fortress, "weak"), KEEP, "commit")
    said = one_message(attacker, *first, "begin", REPLAY, COUNT, "commit", COUNT)
    assert said[-3:] == [str(len(fortress.visible)), "", "0"]
    assert one_message(attacker, "begin", REPLAY, COUNT)[-1] == "MH002"
    attacker.run("rollback")


def test_parts_of_two_postures_within_one_message(attacker: Attacker, fortress: Fortress) -> None:
    keep_seal = "select set_config('spy.seal', current_setting('memhouse.seal'), false)"
    for one, other in (("weak", "rival"), ("rival", "weak"), ("low", "weak")):
        said = one_message(
            attacker, "begin", begins(fortress, one), KEEP, "commit", "begin", begins(fortress, other), keep_seal, "commit",
            "begin", REPLAY, COUNT,
        )  # fmt: skip
        assert said[-1] == "MH002"
        attacker.run("rollback")


def test_a_posture_replayed_by_a_block_that_commits(attacker: Attacker, fortress: Fortress) -> None:
    """A transaction that a procedure or block begins has an instant of its own."""
    body = "; ".join([begins(fortress, "weak"), KEEP, "commit", REPLAY, COUNT]).replace("select", "perform")
    assert one_message(attacker, f"do $$ begin {body}; end $$")[-1] == "MH002"


@pytest.mark.parametrize(
    "change",
    [
        "select memhouse.revoke_credential('acme', 'fleeting')",
        "select memhouse.renew_credential('acme', 'fleeting')",
        "select memhouse.grant_scope('acme', 'fleeting', 'open', p_effect => 'deny')",
        "select memhouse.set_clearance('acme', 'fleeting', 'public')",
    ],
)
def test_a_posture_whose_authority_changes_within_one_message(
    attacker: Attacker, fortress: Fortress, change: str
) -> None:
    with fortress.admin() as admin:
        (token,) = admin.execute(
            "select memhouse.create_credential('acme', 'fleeting', p_peer_key => 'mia', p_clearance => 'internal')"
        ).fetchone()
        admin.execute("select memhouse.grant_scope('acme', 'fleeting', 'open')")
        try:
            admin.execute("select pg_advisory_lock(4711)")
            meanwhile = threading.Thread(target=change_while_waited_for, args=(admin, change))
            meanwhile.start()
            said = one_message(
                attacker, "begin", f"select from memhouse.begin_read('{token}'::text)", KEEP, COUNT, "commit",
                "select pg_advisory_lock(4711)", "select pg_advisory_unlock(4711)", "begin", REPLAY, COUNT,
            )  # fmt: skip
            meanwhile.join(30)
            assert said[3] == str(len(fortress.visible))
            assert said[-1] == "MH023"
            attacker.run("rollback")
        finally:
            admin.execute(
                "delete from memhouse.scope_grant where credential_id in (select credential_id from memhouse.credential where credential_name = 'fleeting')"
            )
            admin.execute("delete from memhouse.credential where credential_name = 'fleeting'")


def change_while_waited_for(admin: psycopg.Connection, change: str) -> None:
    """Makes a change as soon as somebody waits for the lock that this connection holds, and lets go of it."""
    try:
        for _ in range(1000):
            if admin.execute("select from pg_locks where locktype = 'advisory' and not granted").rowcount:
                break
            time.sleep(0.01)
        admin.execute(change)
    finally:
        admin.execute("select pg_advisory_unlock(4711)")


def test_a_posture_carried_to_another_connection(attacker: Attacker, fortress: Fortress) -> None:
    with psycopg.connect(fortress.dsn()) as other:
        other.execute("select from memhouse.begin_read(%s::text)", (fortress.tokens["boss"],))
        stolen = other.execute("select current_setting('memhouse.reader'), current_setting('memhouse.seal')").fetchone()
        attacker.begin(None)
        attacker.run("select set_config('memhouse.reader', %s, true), set_config('memhouse.seal', %s, true)", *stolen)
        assert attacker.refused("select * from memhouse.knowledge") == "MH002"


def test_leftover_session_settings_do_not_outrank_a_posture(attacker: Attacker, fortress: Fortress) -> None:
    attacker.run("set memhouse.reader = '(,,,internal,,restricted,,,,)'; set memhouse.seal = '1:00'")
    try:
        attacker.begin()
        assert attacker.sees() == fortress.visible
        attacker.run("commit")
    finally:
        attacker.run("reset memhouse.reader; reset memhouse.seal")


def test_two_postures_mixed_in_one_scan(attacker: Attacker) -> None:
    """The scopes of one credential with the clearance of another: initplans are evaluated when first needed."""
    attacker.begin(None)
    attacker.run(
        """create function pg_temp.switch(i int, a text, b text) returns int language plpgsql volatile as
           $$ begin perform from memhouse.begin_read(case i when 1 then a else b end); return i; end $$"""
    )
    for setting in ("hashjoin", "mergejoin", "material", "memoize", "seqscan", "bitmapscan"):
        attacker.run(f"set local enable_{setting} = off")
    for first, second in (("low", "rival"), ("weak", "rival"), ("rival", "weak")):
        for low, high in (("infinity", "-infinity"), ("-infinity", "-infinity")):
            found = attacker.run(
                """select k.statement
                   from (select case pg_temp.switch(g.i, %s, %s) when 1 then %s::timestamptz else %s::timestamptz end as t
                         from generate_series(1, 3) as g (i) offset 0) as s
                   cross join lateral (select * from memhouse.knowledge as k where k.recorded_at > s.t offset 0) as k""",
                attacker.fortress.tokens[first],
                attacker.fortress.tokens[second],
                low,
                high,
            )
            assert len(found) <= 3 * len(attacker.fortress.visible)
    attacker.run("rollback")


@pytest.mark.parametrize("order", ["weak then rival", "rival then weak", "none then weak", "low then rival"])
def test_a_cursor_kept_open_across_postures(attacker: Attacker, order: str) -> None:
    first, second = order.split(" then ")
    attacker.begin(None if first == "none" else first)
    attacker.run("declare c cursor for select statement from memhouse.knowledge")
    attacker.run("fetch 2 from c")
    attacker.posture(second)
    seen = attacker.run("fetch all from c")
    attacker.posture("weak")
    allowed = {row[0] for row in attacker.run("select statement from memhouse.knowledge")}
    assert {row[0] for row in seen} <= allowed
    attacker.run("rollback")


def test_a_held_cursor_holds_what_was_visible(attacker: Attacker, fortress: Fortress) -> None:
    attacker.begin()
    attacker.run("declare held cursor with hold for select statement from memhouse.knowledge")
    attacker.run("commit")
    # Behind the pool as well: its one server connection still has the cursor, as a pool that resets nothing would.
    assert len(attacker.run("fetch all from held")) == len(fortress.visible)
    attacker.run("close held")


@pytest.mark.parametrize("mode", ["auto", "force_generic_plan", "force_custom_plan"])
def test_prepared_statements_know_no_posture(attacker: Attacker, fortress: Fortress, mode: str) -> None:
    attacker.begin("rival")
    attacker.run(f"set local plan_cache_mode = {mode}")
    attacker.run("prepare spy as select knowledge_id from memhouse.knowledge")
    attacker.run("prepare spy_search (text) as select id from memhouse.search($1, p_limit => 100)")
    for _ in range(7):
        attacker.run("execute spy")
        attacker.run("execute spy_search('topic')")
    attacker.posture("weak")
    for _ in range(7):
        assert {row[0] for row in attacker.run("execute spy")} == fortress.visible
        assert {row[0] for row in attacker.run("execute spy_search('topic')")} <= fortress.visible
    attacker.run("select set_config('memhouse.reader', '', true)")
    assert attacker.run("execute spy") == []
    assert attacker.refused("execute spy_search('topic')") == "MH001"
    attacker.run("deallocate all")
    attacker.run("rollback")


def test_savepoints_give_back_the_posture_they_kept(attacker: Attacker, fortress: Fortress) -> None:
    attacker.begin()
    attacker.run("savepoint one")
    attacker.posture("rival")
    attacker.run("savepoint two")
    assert attacker.refused("select 1 / 0") == "22012"
    attacker.run("rollback to two")
    assert not attacker.sees() & fortress.visible
    attacker.run("rollback to one")
    assert attacker.sees() == fortress.visible
    attacker.run("rollback")
    assert attacker.sees() == set()


def test_the_end_of_a_transaction_is_the_end_of_its_posture(attacker: Attacker) -> None:
    for end in ("commit", "rollback", "commit and chain", "rollback and chain"):
        attacker.begin()
        attacker.run(end)
        assert attacker.sees() == set(), end
        if "chain" in end:
            attacker.run("rollback")


# --- roles and ownership -----------------------------------------------------------------------

ROLES = ("owner", "gate", "strategy", "api", "writer", "internal", "admin", "jobs")


@pytest.mark.parametrize("role", [*(f"memhouse_{role}" for role in ROLES), "postgres", "app_writer"])
def test_becoming_another_role(attacker: Attacker, role: str) -> None:
    attacker.begin()
    assert attacker.refused(f"set role {role}") == "42501"
    assert attacker.refused(f"set session authorization {role}") == "42501"
    assert attacker.refused(f"grant {role} to app_analyst") in ("42501", "0LP01")
    attacker.run("rollback")


DEFACEMENTS = [
    "alter table memhouse.knowledge disable row level security",
    "alter table memhouse.knowledge no force row level security",
    "create policy mine on memhouse.knowledge using (true)",
    "drop policy admitted on memhouse.knowledge",
    "alter policy admitted_now on memhouse.knowledge using (true)",
    "create rule spy as on select to memhouse.knowledge do instead select 1",
    "create trigger spy before insert on memhouse.knowledge for each row execute function memhouse._touch()",
    "create table memhouse.mine (x int)",
    "create function memhouse.mine() returns int language sql as 'select 1'",
    "create or replace function memhouse.reader_clearance() returns memhouse.sensitivity language sql as $$ select 'restricted' $$",
    "alter function memhouse.admits owner to app_analyst",
    "create view memhouse.spy as select 1",
    "create index on memhouse.knowledge (statement)",
    "create statistics spy (mcv) on scope_id, sensitivity from memhouse.knowledge",
    "alter table memhouse.knowledge alter column statement set statistics 1000",
    "create table pg_temp.child () inherits (memhouse.knowledge)",
    "create table pg_temp.copy (like memhouse.knowledge including all); insert into memhouse.knowledge select * from pg_temp.copy",
    "grant select on memhouse.credential to app_analyst",
    "comment on table memhouse.knowledge is ''",
    "reassign owned by memhouse_owner to app_analyst",
    "alter role app_analyst bypassrls",
    "alter role app_analyst superuser",
    "alter system set log_statement = 'all'",
    "create extension dblink",
    "create publication spy for table memhouse.knowledge",
    "select pg_create_logical_replication_slot('spy', 'test_decoding')",
    "set session_replication_role = replica",
    "alter type memhouse.sensitivity add value 'none' before 'public'",
    "create cast (text as memhouse.sensitivity) with inout",
    "create operator class memhouse.spy for type uuid using btree as function 1 uuid_cmp(uuid, uuid)",
    "truncate memhouse.knowledge",
    "insert into memhouse.knowledge default values",
    "insert into memhouse.audit_log default values",
    "update memhouse.knowledge set sensitivity = 'public'",
    "delete from memhouse.knowledge",
    "merge into memhouse.knowledge as k using (select 1) as s on true when matched then delete",
    "select * from memhouse.knowledge for update",
    "select * from memhouse.knowledge for key share",
    "lock table memhouse.knowledge in access exclusive mode",
    "lock table memhouse.credential in access share mode",
    "copy memhouse.knowledge from stdin",
    "copy memhouse.credential to stdout",
    "copy (select 1) to program 'true'",
    "copy (select 1) to '/tmp/spy'",
    "select pg_read_file('postgresql.conf')",
    "select nextval('memhouse.seal_key_key_id_seq')",
    "select last_value from memhouse.seal_key_key_id_seq",
    "select setval('memhouse.seal_key_key_id_seq', 1)",
    "select lo_import('/etc/passwd')",
    "select * from pg_largeobject",
    "select * from pg_statistic",
    "select * from pg_statistic_ext_data",
    "select * from pg_authid",
    "select pg_terminate_backend((select pid from pg_stat_activity where usename = 'postgres' limit 1))",
]  # fmt: skip


@pytest.mark.parametrize("statement", DEFACEMENTS)
def test_defacing_the_house(attacker: Attacker, statement: str) -> None:
    attacker.begin()
    state = attacker.refused(statement)
    # Not allowed; or there is no such thing here, or (a view, the wrong kind) it cannot be.
    assert state in (
        "42501",
        "0A000",
        "25001",
        "428C9",
        "42809",
        "55000",
        "0LP01",
        "42704",
        "58P01",
    ) or state.startswith("42P"), state
    attacker.run("rollback")


TABLES = (
    "account", "audit_log", "credential", "embedding", "embedding_identity", "entity_alias", "entity_indexed", "entity_mention", "job",
    "lifecycle_change", "peer", "profile", "promotion", "recall_document", "scope_grant", "scope_link", "seal_key",
    "server_setting", "strategy", "tombstone", "admissible_knowledge", "admissible_embedding", "admissible_relation",
    "admissible_scope_link", "admissible_mention", "admissible_recall_document",
)  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_tables_that_are_not_for_readers(attacker: Attacker, table: str) -> None:
    attacker.begin()
    assert attacker.refused(f"select * from memhouse.{table}") == "42501"
    assert attacker.refused(f"select count(*) from memhouse.{table}") == "42501"
    attacker.run("rollback")


# --- shadows -----------------------------------------------------------------------------------


def _answers(attacker: Attacker) -> list[object]:
    """What every reading function says, without what the clock moves: times, and the ranking signal of recency."""
    attacker.begin()
    report = attacker.value("select memhouse.search_report('what of the topic at Alpha Harbour', p_limit => 100)")
    for outcomes in report["strategies"].values():
        for outcome in outcomes:
            outcome.pop("ms")
    said = [
        report["strategies"],
        report["disagreement"],
        [(hit["id"], hit["statement"], hit["fusion_score"], hit["sources"]) for hit in report["candidates"]],
        attacker.run("select rank, id from memhouse.search('', p_profile => 'thorough', p_limit => 100)"),
        attacker.run("select id from memhouse.list_knowledge(p_limit => 100)"),
        attacker.run("select reader_posture, scopes from memhouse.current_reader()"),
        sorted(attacker.sees()),
    ]
    attacker.run("rollback")
    return said


@pytest.fixture
def evil(fortress: Fortress) -> str:
    """A schema in which the reader may create, as a careless DBA might have left one."""
    with fortress.admin() as admin:
        admin.execute("drop schema if exists evil cascade")
        admin.execute("create schema evil authorization app_analyst")
    return "evil"


def test_shadows_of_every_function_and_operator(attacker: Attacker, fortress: Fortress, evil: str) -> None:
    genuine = _answers(attacker)
    made = attacker.value(
        """
        with used as (
            select string_agg(coalesce(pg_get_functiondef(p.oid), ''), ' ') as text
            from pg_proc as p where p.pronamespace = 'memhouse'::regnamespace and p.prokind = 'f'
        )
        select array_agg(distinct p.oid::regprocedure::text)
        from pg_proc as p, used as u
        where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f' and p.proname ~ '^[a-z_0-9]+$'
          and u.text ~ ('\\m' || p.proname || '\\(')
          and not exists (select from unnest(p.proargtypes || p.prorettype) as t (oid) join pg_type as y on y.oid = t.oid
                          where y.typtype = 'p' and y.typname not like 'any%')
        """
    )
    assert len(made) > 50
    shadows = 0
    for signature in made:
        name, arguments = re.fullmatch(r"\"?([a-z_0-9]+)\"?\((.*)\)", signature).groups()
        returns = attacker.value(
            "select format_type(prorettype, null) from pg_proc where oid = %s::regprocedure", signature
        )
        try:
            attacker.run(
                f"""create function evil."{name}"({arguments}) returns {returns} language plpgsql volatile
                    as $$ begin raise exception 'shadowed'; end $$"""
            )
            shadows += 1
        except psycopg.Error:
            continue  # a polymorphic signature that cannot be declared
    operators = attacker.run(
        """select o.oprname, format_type(o.oprleft, null), format_type(o.oprright, null), format_type(o.oprresult, null)
           from pg_operator as o
           where o.oprnamespace = 'pg_catalog'::regnamespace and o.oprleft <> 0
             and o.oprname in ('=', '<>', '<', '<=', '>', '>=', '||', '@>', '@@', '+', '-', '*', '/', '%', '~', '!~', '~*', '->', '->>', '#>>', '&')
             and 'any' <> all (array[o.oprleft::regtype::text, o.oprright::regtype::text])
             and o.oprleft::regtype::text !~ '^any' and o.oprright::regtype::text !~ '^any' and o.oprresult::regtype::text !~ '^any'"""
    )
    for number, (operator, left, right, result) in enumerate(operators):
        attacker.run(
            f"""create function evil.operator_{number}({left}, {right}) returns {result} language plpgsql volatile
                as $$ begin raise exception 'shadowed'; end $$"""
        )
        attacker.run(
            f"create operator evil.{operator} (leftarg = {left}, rightarg = {right}, function = evil.operator_{number})"
        )
    # Types of ours, compared by the generic operators.
    for number, type in enumerate(("memhouse.sensitivity", "memhouse.lifecycle_state", "memhouse.target_level")):
        attacker.run(
            f"create function evil.agree_{number}({type}, {type}) returns boolean language sql immutable as 'select true'"
        )
        for operator in ("=", "<>", "<=", ">", "<", ">="):
            attacker.run(
                f"create operator evil.{operator} (leftarg = {type}, rightarg = {type}, function = evil.agree_{number})"
            )
    assert shadows > 50 and len(operators) > 100

    attacker.run("set search_path = evil, memhouse, pg_catalog")
    try:
        assert _answers(attacker) == genuine
    finally:
        attacker.run("reset search_path")


def test_shadows_of_tables_and_types_in_pg_temp(attacker: Attacker) -> None:
    genuine = _answers(attacker)
    for table in (
        "knowledge",
        "scope",
        "peer",
        "credential",
        "seal_key",
        "scope_grant",
        "account",
        "profile",
        "strategy",
    ):
        attacker.run(f"create temp table {table} (account_id uuid, scope_id uuid, statement text)")
    for domain, base in (("text", "pg_catalog.text"), ("uuid", "pg_catalog.uuid"), ("jsonb", "pg_catalog.jsonb")):
        attacker.run(f"create domain pg_temp.{domain} as {base} check (false)")
    attacker.run("create type pg_temp.reader as (account_id pg_catalog.int4)")
    attacker.run("create function pg_temp._reader() returns int language sql as 'select 1'")
    attacker.run("set search_path = pg_temp, memhouse, pg_catalog")
    try:
        attacker.begin(None)
        attacker.run(
            "select reader_posture from memhouse.begin_read(%s::pg_catalog.text)", attacker.fortress.tokens["weak"]
        )
        assert attacker.sees() == attacker.fortress.visible
        report = attacker.value("select memhouse.search_report('what of the topic at Alpha Harbour', p_limit => 100)")
        assert [hit["id"] for hit in report["candidates"]] == [hit[0] for hit in genuine[2]]
        attacker.run("rollback")
    finally:
        attacker.run("reset search_path")
        attacker.run("discard temp")


# --- leaks -------------------------------------------------------------------------------------

LEAKY = """
create function pg_temp.leak(t text) returns boolean language plpgsql cost 0.0000001 as
$$ begin raise notice 'leak: %', t; return true; end $$;
create function pg_temp.leak2(t text, u text) returns boolean language plpgsql cost 0.0000001 as
$$ begin raise notice 'leak: %', t; return true; end $$;
create operator pg_temp.<<< (leftarg = text, rightarg = text, function = pg_temp.leak2);
"""
# {t} is a table of a reader, {c} one of its columns as text.
LEAKS = [
    "select count(*) from memhouse.{t} where pg_temp.leak({c})",
    "select count(*) from memhouse.{t} where {c} operator(pg_temp.<<<) 'x'",
    "select count(*) from memhouse.{t} where case when pg_temp.leak({c}) then true else false end",
    "select pg_temp.leak({c}) from memhouse.{t}",
    "select count(*) from memhouse.{t} group by {c} having pg_temp.leak({c})",
    "select 1 from memhouse.{t} order by pg_temp.leak({c}), {c} limit 1",
    "select 1 from memhouse.{t} as a join memhouse.{t} as b on pg_temp.leak(a.{c}) and a.{c} = b.{c}",
    "select 1 from memhouse.{t} as a left join memhouse.{t} as b on pg_temp.leak(b.{c})",
    "select 1 from memhouse.{t} as a where exists (select from memhouse.{t} as b where pg_temp.leak(b.{c}))",
    "select 1 from memhouse.{t} as a, lateral (select pg_temp.leak(a.{c})) as l",
    "with w as materialized (select * from memhouse.{t} where pg_temp.leak({c})) select count(*) from w",
    "select count(*) filter (where pg_temp.leak({c})) from memhouse.{t}",
    "select max({c}) over (order by {c}) from memhouse.{t} where pg_temp.leak({c}) limit 3",
    "select count(*) from memhouse.{t} tablesample system (100) where pg_temp.leak({c})",
    "select count(*) from memhouse.{t} tablesample bernoulli (100) where pg_temp.leak({c})",
    "select count(*) from only memhouse.{t} where pg_temp.leak({c})",
    "select count(*) from memhouse.{t} where ctid = any (array['(0,1)', '(0,2)', '(1,1)', '(2,1)']::tid[]) and pg_temp.leak({c})",
    "select count(*) from memhouse.{t} where ctid between '(0,0)' and '(9,9)' and pg_temp.leak({c})",
    "select {c} from memhouse.{t} order by {c} desc limit 5",
    "select min({c}), max({c}), count(distinct {c}), string_agg({c}, '') from memhouse.{t}",
    "select to_jsonb(x), x::text from memhouse.{t} as x",
    "select count(*) from memhouse.{t} where {c} like 'The z%'",
    "select query_to_xml('select * from memhouse.{t}', true, false, '')",
    "select table_to_xml('memhouse.{t}', true, false, '')",
    "copy memhouse.{t} to stdout",
    "copy (select * from memhouse.{t} where pg_temp.leak({c})) to stdout",
    "do $$ declare r record; begin for r in select * from memhouse.{t} where pg_temp.leak({c}) loop raise notice '%', r; end loop; end $$",
    "create temp view spy as select * from memhouse.{t}; select * from spy where pg_temp.leak({c})",
    "create temp view spy with (security_barrier = false, security_invoker = true) as select * from memhouse.{t}; select * from spy where pg_temp.leak({c})",
    "create temp table loot as select * from memhouse.{t} where pg_temp.leak({c}); select * from loot",
    "create function pg_temp.f() returns setof memhouse.{t} language sql security definer as 'select * from memhouse.{t}'; select * from pg_temp.f()",
    "set local plan_cache_mode = force_generic_plan; prepare p (text) as select count(*) from memhouse.{t} where pg_temp.leak({c}) and {c} > $1; execute p(''); deallocate p",
    "set local enable_seqscan = off; set local enable_indexscan = off; select count(*) from memhouse.{t} where pg_temp.leak({c})",
    "set local enable_bitmapscan = off; set local enable_indexscan = off; select count(*) from memhouse.{t} where pg_temp.leak({c})",
]  # fmt: skip
READABLE = {
    "knowledge": "statement",
    "observation": "content",
    "relation": "to_id::text",
    "knowledge_source": "observation_id::text",
    "scope": "scope_key",
}


@pytest.mark.parametrize("number", range(len(LEAKS)))
@pytest.mark.parametrize("table", READABLE)
def test_leaks(attacker: Attacker, table: str, number: int) -> None:
    attacker.begin()
    column = READABLE[table]
    attacker.run(LEAKY)
    for statement in _statements(LEAKS[number].format(t=table, c=column)):
        if statement.startswith("copy"):
            with attacker.conn.cursor().copy(statement) as copy:
                attacker.heard.append("".join(bytes(block).decode() for block in copy))
        elif "_to_xml" in statement:
            # Not every server is built with XML.
            with contextlib.suppress(psycopg.errors.FeatureNotSupported):
                attacker.run(statement)
        else:
            attacker.run(statement)
    attacker.run("rollback")


def _statements(query: str) -> list[str]:
    """The statements of a line; what stands in dollar quotes is not cut."""
    return [query] if "$$" in query else query.split("; ")


MINING = [
    "select statement::int from memhouse.knowledge",
    "select 1 / (case when statement like 'The z%' then 0 else 1 end) from memhouse.knowledge",
    "select count(*) from memhouse.knowledge where 1 / (case when statement like 'The z%' then 0 else 1 end) = 1",
    "select count(*) from memhouse.knowledge where statement::xml is not null",
    "select count(*) from memhouse.knowledge where to_tsquery(statement) is not null",
    "select count(*) from memhouse.knowledge where statement ~ ('(' || statement)",
    "select statement::memhouse.sensitivity from memhouse.knowledge where sensitivity = 'restricted'",
    "select content::uuid from memhouse.observation where sensitivity > 'internal'",
    "select count(*) from memhouse.relation where 1 / (case when type = 'supports' then 1 else 0 end) = 1",
    "select (metadata ->> 'x')::int, lower(null) from memhouse.knowledge",
    "select * from ts_stat('select tsv from memhouse.knowledge')",
    "select * from memhouse.knowledge where statement = 'x' or 1 / 0 = 1",
]


@pytest.mark.parametrize("query", MINING)
def test_mining_errors(attacker: Attacker, query: str) -> None:
    """An error may speak of a visible row; that it does not speak of a hidden one is checked at the end."""
    attacker.begin()
    attacker.run("savepoint s")
    try:
        attacker.run(query)
    except psycopg.Error as error:
        assert error.sqlstate not in (None, "XX000")
    attacker.run("rollback")


def test_row_security_cannot_be_switched_off(attacker: Attacker) -> None:
    attacker.begin()
    attacker.run("set local row_security = off")
    assert attacker.refused("select * from memhouse.knowledge") == "42501"
    assert attacker.refused("select * from memhouse.search('topic')") == "42501"
    attacker.run("rollback")


def test_parallel_workers_see_the_same(attacker: Attacker, fortress: Fortress) -> None:
    attacker.begin()
    name = "debug_parallel_query" if fortress.server.version >= 16 else "force_parallel_mode"
    attacker.run(f"set local {name} = regress")
    for setting in (
        "parallel_setup_cost",
        "parallel_tuple_cost",
        "min_parallel_table_scan_size",
        "min_parallel_index_scan_size",
    ):
        attacker.run(f"set local {setting} = 0")
    attacker.run("set local max_parallel_workers_per_gather = 4")
    assert attacker.sees() == fortress.visible
    found = {
        row[0]
        for row in attacker.run("select id from memhouse.search('topic', p_limit => 100, p_deadline_ms => 60000)")
    }
    assert found <= fortress.visible and found
    attacker.run("rollback")


# --- what PostgreSQL tells of everybody ------------------------------------------------------------

CATALOGS = {
    "pg_stats": "select tablename, attname, most_common_vals::text, histogram_bounds::text, most_common_elems::text from pg_stats where schemaname = 'memhouse'",
    "pg_stats_ext": "select * from pg_stats_ext where schemaname = 'memhouse'",
    "pg_stats_ext_exprs": "select * from pg_stats_ext_exprs where schemaname = 'memhouse'",
    "large objects": "select * from pg_largeobject_metadata",
    "advisory locks": "select * from pg_locks where locktype = 'advisory'",
    "notifications": "select * from pg_listening_channels()",
    "cursors": "select name from pg_cursors where name <> ''",
    "prepared transactions": "select * from pg_prepared_xacts",
}


@pytest.mark.parametrize("view", CATALOGS)
def test_catalogs_hold_nothing_of_ours(attacker: Attacker, view: str) -> None:
    attacker.begin()
    attacker.run("select from memhouse.search('topic', p_profile => 'thorough')")
    assert attacker.run(CATALOGS[view]) == []
    attacker.run("rollback")


def test_nobody_is_notified(attacker: Attacker, fortress: Fortress) -> None:
    attacker.begin()
    attacker.run("listen memhouse")
    attacker.run("select from memhouse.search('topic')")
    attacker.run("commit")
    attacker.run("unlisten *")
    assert list(attacker.conn.notifies(timeout=0)) == []


def test_activity_shows_no_parameters(attacker: Attacker, fortress: Fortress) -> None:
    """Sessions of one login see each other's statements: tokens and questions are never in their text."""
    with Client(fortress.dsn(), credential=fortress.tokens["boss"]) as victim:
        victim.search("a question of the boss")
        for (query,) in attacker.run("select query from pg_stat_activity where usename = 'app_analyst'"):
            assert fortress.tokens["boss"] not in query
            assert "question of the boss" not in query


# --- a read over several connections -----------------------------------------------------------


def tampered(sealed: str, old: bytes, new: bytes) -> str:
    """A sealed text with other words behind its signature."""
    signature, body = sealed.split(".", 1)
    text = base64.b64decode(body)
    assert old in text
    return signature + "." + base64.b64encode(text.replace(old, new)).decode()


def test_plans_and_parts_that_the_server_did_not_make(attacker: Attacker, fortress: Fortress) -> None:
    with psycopg.connect(fortress.dsn()) as boss:
        boss.execute("select from memhouse.begin_read(%s::text)", (fortress.tokens["boss"],))
        stolen_plan = boss.execute("select memhouse.plan_search('topic') ->> 'plan'").fetchone()[0]
        stolen_part = boss.execute("select memhouse.run_search_part(%s, 'lexical')", (stolen_plan,)).fetchone()[0]

    attacker.begin()
    plan = attacker.value("select memhouse.plan_search('topic') ->> 'plan'")
    other = attacker.value("select memhouse.plan_search('harbour') ->> 'plan'")
    part = attacker.value("select memhouse.run_search_part(%s, 'lexical')", plan)
    attacker.run("select memhouse.finish_search(%s, array[%s])", plan, part)
    for bad in (
        stolen_plan,
        part,
        "",
        "x",
        plan + " ",
        tampered(plan, b"topic", b"tropic"),
        "1:00." + plan.split(".", 1)[1],
    ):
        assert attacker.refused("select memhouse.run_search_part(%s, 'lexical')", bad) == "MH002"
        assert attacker.refused("select memhouse.finish_search(%s, array[%s])", bad, part) == "MH002"
    for bad in (stolen_part, plan, "", part + " ", tampered(part, b"lexical", b"semantic")):
        assert attacker.refused("select memhouse.finish_search(%s, array[%s])", plan, bad) == "MH002"
    assert attacker.refused("select memhouse.finish_search(%s, array[%s])", other, part) == "MH002"
    attacker.run("rollback")
    attacker.begin("rival")
    assert attacker.refused("select memhouse.run_search_part(%s, 'lexical')", plan) == "MH002"
    attacker.run("rollback")


# --- questions ---------------------------------------------------------------------------------

FILTERS = [
    {"source": "{hidden_observation}"},
    {"source": "{hidden_source_key}"},
    {"subject_peer": "noa"},
    {"min_confidence": 0},
    {"recorded_after": "-infinity"},
    {"kind": ["fact", "event"]},
]


@pytest.mark.parametrize("number", range(len(FILTERS)))
def test_filters_ask_the_same_reader(attacker: Attacker, fortress: Fortress, number: int) -> None:
    with fortress.admin() as admin:
        hidden = admin.execute(
            """select observation_id::text, source_key from memhouse.observation
               where sensitivity = 'restricted' order by observation_id limit 1"""
        ).fetchone()
    attacker.begin()
    filters = {
        key: value.format(hidden_observation=hidden[0], hidden_source_key=hidden[1])
        if isinstance(value, str)
        else value
        for key, value in FILTERS[number].items()
    }
    found = {
        row[0]
        for row in attacker.run(
            "select id from memhouse.search('topic', p_filters => %s::jsonb, p_limit => 100)", json.dumps(filters)
        )
    } | {
        row[0]
        for row in attacker.run(
            "select id from memhouse.list_knowledge(%s::jsonb, p_limit => 100)", json.dumps(filters)
        )
    }
    assert found <= fortress.visible
    if "source" in filters:
        assert not found
    attacker.run("rollback")


@pytest.mark.parametrize("profile", ["fast", "balanced", "thorough"])
@pytest.mark.parametrize(
    "query", ["topic", "the alpha harbour topic", '"alpha harbour"', "topic -plain", "topic or harbour", ""]
)
def test_questions(attacker: Attacker, fortress: Fortress, query: str, profile: str) -> None:
    attacker.begin()
    for vector in (None, "[1, 0.5, 0.25]"):
        found = {
            row[0]
            for row in attacker.run(
                "select id, statement, score_breakdown, sources from memhouse.search(%s, %s, %s, 100, now())",
                query,
                vector,
                profile,
            )
        }
        assert found <= fortress.visible
    attacker.run("rollback")
