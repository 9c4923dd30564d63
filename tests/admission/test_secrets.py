"""Tokens and keys: stored as hashes only, and in no error, no log and no catalogue."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from memhouse_thin import Client
from support.fortress import Fortress


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
