"""The audit log: every write and every act of administration, with who did it, and no content."""

from __future__ import annotations

import psycopg
import pytest

from support.hand import Hand
from support.house import House

# What changes nothing that a person would be asked about: postures, projections and vectors, and the runner of jobs,
# whose every change of a state is logged where states are changed.
UNLOGGED = {
    *("begin_read", "begin_search", "begin_write", "begin_internal", "admitted_now"),
    *(
        "store_embedding",
        "store_token_vectors",
        "rebuild_entities",
        "refresh_entities",
        "refresh_recall_documents",
        "model_status",
    ),
    *("run_job", "run_due_jobs", "sweep_expired", "sweep_revalidation", "transition", "lifecycle_history"),
}


def test_every_function_that_writes_logs_it(db: psycopg.Connection) -> None:
    silent = db.execute(
        """select p.proname from pg_proc as p
           where p.pronamespace = 'memhouse'::regnamespace and p.provolatile = 'v'
             and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype) and p.proname !~ '^_'
             and pg_get_functiondef(p.oid) !~ '_audit'
             and exists (select from unnest('{memhouse_reader,memhouse_writer,memhouse_analyst,memhouse_internal,memhouse_admin,memhouse_jobs}'::name[]) as r
                         where has_function_privilege(r, p.oid, 'execute'))"""
    ).fetchall()
    assert {name for (name,) in silent} <= UNLOGGED


def test_the_log_says_who_did_what_and_nothing_of_what_was_said(own_house: House) -> None:
    own_house.credential("clerk", ("acme", "curator"), peer_key="eli", clearance="restricted")
    clerk = Hand(own_house, "clerk")
    source = clerk.write("select memhouse.observe('acme', 'the parrot speaks')")
    first, second = clerk.remember("The parrot speaks.", sources=[source]), clerk.remember("The parrot is silent.")
    clerk.relate(second, first, "supersedes")
    clerk.write("select memhouse.set_expiry(%s, 'infinity')", second)
    clerk.move(second, "retracted", "the parrot bit me")
    clerk.write("select memhouse.erase(%s)", second)
    logged = own_house.execute(
        """select l.action, l.target_id, c.credential_name, l.db_role from memhouse.audit_log as l
           left join memhouse.credential as c using (account_id, credential_id) where l.db_role = 'app_writer' order by l.audit_id"""
    )
    assert [(action, target) for action, target, *_ in logged] == [
        *(("observe", source), ("remember", first), ("remember", second), ("relate", second), ("transition", first)),
        *(("set_expiry", second), ("transition", second), ("erase", second)),
    ]
    assert {(name, role) for *_, name, role in logged} == {("clerk", "app_writer")}
    assert not own_house.execute("select 1 from memhouse.audit_log as l where l::text ilike '%%parrot%%'")
    assert not own_house.execute("select 1 from memhouse.audit_log as l where l::text like %s", f"%{clerk.token}%")


def test_reading_leaves_nothing_in_the_log(house: House, hand: Hand) -> None:
    before = house.execute("select count(*) from memhouse.audit_log")
    hand.read("select * from memhouse.search('anything')")
    assert house.execute("select count(*) from memhouse.audit_log") == before


@pytest.mark.parametrize("table", ["audit_log", "tombstone", "lifecycle_change"])
def test_records_are_not_rewritten(own_house: House, table: str, sqlstate) -> None:
    own_house.credential("clerk", ("acme", "curator"), peer_key="eli")
    clerk = Hand(own_house, "clerk")
    clerk.write("select memhouse.erase(%s)", clerk.remember("Gone."))
    clerk.move(clerk.remember("Moved."), "deprecated")
    assert sqlstate(own_house.execute, f"update memhouse.{table} set account_id = gen_random_uuid()") == "23001"
    if table == "audit_log":
        assert sqlstate(own_house.execute, "delete from memhouse.audit_log") == "23001"


def test_an_operator_may_have_reads_logged(own_house: House) -> None:
    lines: list[str] = []
    conn = psycopg.connect(own_house.as_user("app_writer"), autocommit=True)
    conn.add_notice_handler(lambda notice: lines.append(notice.message_primary))
    conn.execute("set client_min_messages = log")

    def read() -> None:
        with conn.transaction():
            conn.execute("select from memhouse.begin_read(%s)", (own_house.tokens["bot"],))
            conn.execute("select * from memhouse.search('my secret question')")

    read()
    assert lines == []
    own_house.execute("select memhouse.set_account_setting('acme', 'log_reads', 'true')")
    read()
    assert len(lines) == 1
    assert lines[0].startswith("memhouse: posture public_only begun for account ")
    assert "secret" not in lines[0]
