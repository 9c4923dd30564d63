"""Tokens and keys: stored as hashes only, and in no error, no log and no catalogue."""

from __future__ import annotations

import contextlib
import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg_pool import ConnectionPool

from memhouse_thin import Client, errors
from memhouse_thin.cli import main
from support.fortress import CANARY, Fortress, build
from support.servers import Server


@pytest.fixture
def own_fortress(server: Server, database: str) -> Iterator[Fortress]:
    """A fortress in a database that a test may change."""
    made = build(server, database)
    yield made
    server.drop_database(made.name)


def server_log(fortress: Fortress) -> str:
    with fortress.admin() as admin:
        (data,) = admin.execute("show data_directory").fetchone()
    return "".join(path.read_text(errors="replace") for path in Path(data).parent.glob("*.log"))


def test_no_row_of_any_table_holds_a_token(fortress: Fortress) -> None:
    with fortress.admin() as admin:
        tables = admin.execute(
            "select oid::regclass::text from pg_class where relnamespace = 'memhouse'::regnamespace and relkind = 'r'"
        ).fetchall()
        assert len(tables) > 20
        for (table,) in tables:
            for token in fortress.tokens.values():
                found = admin.execute(
                    f"select count(*) from {table} as t where strpos(t::text, %s) > 0", (token,)
                ).fetchone()
                assert found == (0,), table


@pytest.mark.parametrize(
    "token", ["mh_" + "x" * 43, "", "'; drop table memhouse.knowledge; --", "mh_" + "é" * 43, "x" * 100_000]
)
def test_a_wrong_token_is_not_repeated(fortress: Fortress, token: str) -> None:
    with psycopg.connect(fortress.dsn()) as conn, pytest.raises(psycopg.Error) as refused:
        conn.execute("select from memhouse.begin_read(%s::text)", (token,))
    assert refused.value.sqlstate == "MH003"
    told = str(refused.value) + str(refused.value.diag.context)
    assert not token or token not in told


def test_the_log_of_a_server_that_logs_every_statement(fortress: Fortress) -> None:
    """With log_parameter_max_length = 0, as docs/dba.md says; reads, failures and a killed statement included."""
    settings = {
        "log_statement": "'all'",
        "log_min_duration_statement": "0",
        "log_min_error_statement": "debug5",
        "log_error_verbosity": "verbose",
        "log_parameter_max_length": "0",
        "log_parameter_max_length_on_error": "0",
    }
    token, question = fortress.tokens["boss"], "whispered question"
    with fortress.admin() as admin:
        for name, value in settings.items():
            admin.execute(f"alter database {fortress.name} set {name} = {value}")
    try:
        with Client(fortress.dsn("app_writer"), credential=token) as client:
            client.search(question, deadline_ms=60000)
            client.remember("a whispered statement", scope="open", source_key="whispered-key")
            with pytest.raises(Exception, match="profile"):
                client.search(question, profile="no such profile")
        with (
            Client(fortress.dsn(), credential=token[:-1] + "?") as client,
            pytest.raises(Exception, match="credential"),
        ):
            client.search(question)
        log = server_log(fortress)
    finally:
        with fortress.admin() as admin:
            for name in settings:
                admin.execute(f"alter database {fortress.name} reset {name}")
            admin.execute("delete from memhouse.knowledge where source_key = 'whispered-key'")
    assert "memhouse.begin_read(" in log and "MH008" in log
    for secret in (token, token[:-1], "whispered"):
        assert secret not in log


def test_statement_statistics_hold_no_text_and_no_token(own_fortress: Fortress, tmp_path: Path) -> None:
    """pg_stat_statements keeps the text of statements, here also of those inside functions; all of ours bind their values."""
    if "pg_stat_statements" not in own_fortress.server.installation.preloaded:
        pytest.skip("the server has no pg_stat_statements")
    token, boss = own_fortress.tokens["writer"], own_fortress.tokens["boss"]
    file = tmp_path / "memory.jsonl"
    entry = {"type": "knowledge", "scope": "open", "statement": "A whispered line.", "source_key": "whispered-2"}
    file.write_text(json.dumps(entry) + "\n")
    with own_fortress.admin() as admin:
        admin.execute("create extension pg_stat_statements")
        admin.execute("select pg_stat_statements_reset()")

    with Client(own_fortress.dsn("app_writer"), credential=token, deadline_ms=60_000) as client:
        source = client.observe("A whispered message.", scope="open", source_key="whispered-0", session_key="whispered")
        id = client.remember(
            "A whispered statement.", scope="open", subject_peer="mia", source_key="whispered-1", sources=[source],
            metadata={"whispered": 1},
        )  # fmt: skip
        other = client.remember("Whispered too.", scope="open")
        client.relate(other, id, "supports")
        for profile in ("fast", "balanced", "thorough"):
            client.search(
                "a whispered question", profile=profile, as_of="2026-01-01", filters={"source": "whispered-0"}
            )
        client.search('"a whispered" phrase -whisperer', peer_key="mia", scope="open")
        client.list_knowledge(filters={"source": "whispered-0"})
        client.propose_promotion(id, "scope")
        client.decline(id, reason="whispered reasons")
        client.transition(other, "retracted", reason="whispered reasons")
        client.erase(id)
        with pytest.raises(errors.ProfileUnknown):
            client.search("a whispered failure", profile="whispered profile")
    with (
        ConnectionPool(own_fortress.dsn(), min_size=1, max_size=8) as pool,
        Client(pool, credential=boss, fan_out="parallel", fan_out_wait_ms=5_000, deadline_ms=60_000) as client,
    ):
        client.search("a whispered question about the topic")

    made = {}
    for user, arguments in (
        ("app_writer", ["search", "a whispered question", "--no-embed"]),
        ("app_writer", ["explain", "a whispered question", "--no-embed"]),
        ("app_writer", ["remember", "A whispered statement.", "--scope", "open", "--no-embed"]),
        ("app_writer", ["import", str(file), "--no-embed"]),
        ("postgres", ["credential", "create", "clerk", "--account", "acme", "--grant", "open"]),
        ("postgres", ["credential", "renew", "clerk", "--account", "acme"]),
        ("postgres", ["export", "acme", "-o", str(tmp_path / "acme.jsonl")]),
    ):
        environment = {"MEMHOUSE_DSN": own_fortress.dsn(user), "MEMHOUSE_CREDENTIAL": token}
        result = CliRunner().invoke(main, arguments, env=environment)
        assert result.exit_code == 0, result.output
        made[arguments[1]] = result.stdout.strip()

    with own_fortress.admin() as admin:
        kept = "\n".join(row[0] for row in admin.execute("select query from pg_stat_statements"))
    for call in ("begin_read(", "remember(", "search_report(", "import_batch(", "explain_search(", "finish_search("):
        assert f"memhouse.{call}" in kept
    assert "insert into memhouse.knowledge" in kept
    tokens = [token, boss, made["create"], made["renew"]]
    assert all(secret.startswith("mh_") for secret in tokens)
    for secret in (*tokens, "whisper", CANARY):
        assert secret not in kept.lower()


COUNTERS = {
    "pg_stat_all_tables", "pg_stat_user_tables", "pg_stat_xact_all_tables", "pg_stat_xact_user_tables",
    "pg_statio_all_tables", "pg_statio_user_tables", "pg_stat_all_indexes", "pg_stat_user_indexes",
    "pg_statio_all_indexes", "pg_statio_user_indexes", "pg_statio_user_sequences", "pg_stat_database",
    "pg_stat_user_functions", "pg_stat_xact_user_functions",
}  # fmt: skip
# Counters of what everybody does, which no search moves by what it finds.
HARMLESS = re.compile("pg_stat_get_db_(xact_|session|active_time|idle_|numbackends|blk_|parallel_|temp_)")
# Views that docs/dba.md says are left: of the whole server, and of who is connected. They move while one looks.
LEFT = {"pg_stat_activity", "pg_stat_bgwriter", "pg_stat_checkpointer", "pg_stat_slru", "pg_stat_wal"}


def test_the_counters_can_be_closed(own_fortress: Fortress) -> None:
    """By the script of docs/dba.md, as it stands there. Afterwards a plain reader can read nothing that a search moves."""
    guide = (Path(__file__).parents[2] / "docs" / "dba.md").read_text()
    (script,) = re.findall(r"To\s+close\s+the\s+counters.*?```sql\n(.*?)```", guide, re.DOTALL)
    closed = set(COUNTERS)
    if own_fortress.server.version >= 16:
        closed.add("pg_stat_io")
    if "pg_stat_statements" in own_fortress.server.installation.preloaded:
        closed.add("pg_stat_statements")
        with own_fortress.admin() as admin:
            admin.execute("create extension pg_stat_statements")
    with psycopg.connect(own_fortress.dsn("app_reader"), autocommit=True) as conn:
        before = moved_by_a_search(conn, own_fortress)
        assert {"pg_stat_get_numscans", "pg_stat_get_db_tuples_returned", "pg_stat_get_tuples_fetched"} <= before
        assert {"pg_stat_user_tables", "pg_stat_database"} <= views_moved_by_a_search(conn, own_fortress)
        assert closed <= readable_views(conn)
        found = answer(conn, own_fortress)

        with own_fortress.admin() as admin:
            admin.execute(textwrap.dedent(script))

        assert closed & readable_views(conn) == set()
        assert {name for name in moved_by_a_search(conn, own_fortress) if not HARMLESS.match(name)} == set()
        assert views_moved_by_a_search(conn, own_fortress) <= LEFT
        assert answer(conn, own_fortress) == found
    with own_fortress.admin() as admin:
        admin.execute("set role pg_monitor")
        assert admin.execute("select sum(idx_scan) > 0 from pg_stat_user_tables").fetchone() == (True,)


def answer(conn: psycopg.Connection, fortress: Fortress) -> Any:
    with conn.transaction():
        conn.execute("select from memhouse.begin_read(%s::text)", (fortress.tokens["weak"],))
        report = conn.execute(
            "select memhouse.search_report('the topic of Alpha Harbour', p_profile => 'thorough', p_deadline_ms => 30000)"
        ).fetchone()[0]
        seen = {row[0] for row in conn.execute("select id from memhouse.list_knowledge(p_limit => 100)")}
    assert seen == fortress.visible
    return [hit["id"] for hit in report["candidates"]]


def readable_views(conn: psycopg.Connection) -> set[str]:
    """The views of statistics, of PostgreSQL and of its extensions, that this login can read now."""
    readable = set()
    for (view,) in conn.execute(
        "select oid::regclass::text from pg_class where relkind = 'v' and relname ~ '^pg_stat(io)?_'"
    ).fetchall():
        with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
            conn.execute(f"select * from {view}")
            readable.add(view)
    return readable


def views_moved_by_a_search(conn: psycopg.Connection, fortress: Fortress) -> set[str]:
    """Which views that this login can read are others after a search."""
    views = sorted(readable_views(conn))

    def read() -> dict[str, list[str]]:
        with conn.transaction():
            conn.execute("select pg_stat_force_next_flush()")
        return {view: sorted(map(str, conn.execute(f"select * from {view}").fetchall())) for view in views}

    first = read()
    answer(conn, fortress)
    second = read()
    return {view for view in views if first[view] != second[view]}


def moved_by_a_search(conn: psycopg.Connection, fortress: Fortress) -> set[str]:
    """Which counters that this login can read are others after a search, of the tables, the indexes and the database."""
    functions = conn.execute(
        """select proname::text from pg_proc
           where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_stat_get_' and not proretset
             and proargtypes = array['oid'::regtype]::oidvector and has_function_privilege(oid, 'execute') order by 1"""
    ).fetchall()
    asked = ", ".join(f"pg_catalog.{name}(o.oid)::text" for (name,) in functions)

    def read() -> list[tuple[Any, ...]]:
        with conn.transaction():
            conn.execute("select pg_stat_force_next_flush()")
        return conn.execute(
            f"""select o.oid, {asked} from (
                    select oid from pg_class where relnamespace = 'memhouse'::regnamespace and relkind in ('r', 'i')
                    union all select oid from pg_database where datname = current_database()) as o order by 1"""
        ).fetchall()

    first = read()
    answer(conn, fortress)
    second = read()
    return {
        functions[place - 1][0]
        for one, other in zip(first, second, strict=True)
        for place in range(1, len(one))
        if one[place] != other[place]
    }


def test_seal_keys_are_the_owners_alone(fortress: Fortress) -> None:
    with fortress.admin() as admin:
        able = admin.execute(
            """select rolname from pg_roles
               where has_any_column_privilege(rolname, 'memhouse.seal_key', 'select') and not rolsuper order by 1"""
        ).fetchall()
        # The built-in role may select from every table; row security holds for it, and shows it no row.
        assert able == [("memhouse_owner",), ("pg_read_all_data",)]
        assert admin.execute("select count(*) from memhouse.seal_key").fetchone()[0] >= 1
        with admin.transaction():
            admin.execute("set local role pg_read_all_data")
            for table in ("seal_key", "credential", "audit_log", "account"):
                assert admin.execute(f"select count(*) from memhouse.{table}").fetchone() == (0,)
        audited = admin.execute("select detail from memhouse.audit_log where action = 'rotate_seal_key'").fetchall()
        assert all(set(detail) == {"key_id"} for (detail,) in audited)


def test_a_credential_begins_without_sight(fortress: Fortress) -> None:
    with fortress.admin() as admin:
        (token,) = admin.execute("select memhouse.create_credential('acme', 'blank')").fetchone()
        assert len(token) == 46 and token.startswith("mh_")
        (hash,) = admin.execute(
            "select token_hash = sha256(%s::bytea) from memhouse.credential where credential_name = 'blank'", (token,)
        ).fetchone()
        assert hash
    with psycopg.connect(fortress.dsn()) as conn:
        conn.execute("select from memhouse.begin_read(%s::text)", (token,))
        assert conn.execute("select count(*) from memhouse.knowledge").fetchone() == (0,)


@pytest.mark.parametrize("mode", ["auto", "force_custom_plan", "force_generic_plan"])
def test_printed_plans_hold_no_key(fortress: Fortress, mode: str) -> None:
    """Anybody may print plans; a custom plan holds the values it was made for, byte by byte."""
    with fortress.admin() as admin:
        keys = [key for row in admin.execute("select inner_key, outer_key from memhouse.seal_key") for key in row]
    heard: list[str] = []
    with psycopg.connect(fortress.dsn(), autocommit=True) as conn:
        conn.add_notice_handler(lambda notice: heard.append(f"{notice.message_primary} {notice.message_detail}"))
        conn.execute(f"set client_min_messages = log; set debug_print_plan = on; set plan_cache_mode = {mode}")
        for _ in range(3):
            with conn.transaction():
                conn.execute("select from memhouse.begin_read(%s::text)", (fortress.tokens["weak"],))
                conn.execute("select * from memhouse.knowledge")
                conn.execute("select memhouse.reader_scopes(), memhouse._reader()")
                conn.execute("select memhouse.search_report('topic')")
                conn.execute("select memhouse.finish_search(memhouse.plan_search('topic') ->> 'plan', '{}')")
    printed = "\n".join(heard)
    assert "PLANNEDSTMT" in printed
    for key in keys:
        for head in (key[:6], [byte if byte < 128 else byte - 256 for byte in key[:6]]):
            assert " ".join(map(str, head)) not in printed
