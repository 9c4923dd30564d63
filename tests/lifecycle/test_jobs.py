"""Jobs: run when due, by whom, and what is left of one that fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import psycopg
import pytest

from support.hand import Hand
from support.house import House, furnish
from support.servers import Server

MAY_RUN = {
    "memhouse.jobs()",
    "memhouse.run_due_jobs()",
    "memhouse.run_job(text)",
    "memhouse.sweep_expired(integer,integer)",
    "memhouse.sweep_revalidation(integer,integer)",
}


@pytest.fixture
def janitor(server: Server) -> Iterator[str]:
    """A login that may run jobs and nothing else, as a DBA makes it for a scheduler."""
    with server.connect("postgres") as connection:
        connection.execute("create role janitor login; grant memhouse_jobs to janitor")
        yield "janitor"
        for (database,) in connection.execute("select datname from pg_database where datallowconn").fetchall():
            with server.connect(database) as inside:
                inside.execute("drop owned by janitor")
        connection.execute("drop role janitor")


def expire_one(house: House) -> object:
    return Hand(house, "bot").remember("Yesterday's news.", expires_at="yesterday")


def run_due(house: House, user: str = "postgres") -> dict[str, int | None]:
    with psycopg.connect(house.as_user(user), autocommit=True) as connection:
        return dict(connection.execute("select job_name, changed from memhouse.run_due_jobs()").fetchall())


def test_due_jobs_run_once_and_a_backlog_at_once(own_house: House, janitor: str) -> None:
    id = expire_one(own_house)
    assert run_due(own_house, janitor)["sweep_expired"] == 1
    assert Hand(own_house).state(id) == "expired"
    # A job that found something looks again at the next opportunity, then waits its time: the sweep, and twice the
    # projections, which read a statement again when its life has moved.
    assert run_due(own_house, janitor) == {"sweep_expired": 0, "refresh_projections": 1}
    assert run_due(own_house, janitor) == {"refresh_projections": 0}
    assert run_due(own_house, janitor) == {}
    own_house.execute("select memhouse.set_job('sweep_expired', '1 microsecond')")
    assert run_due(own_house, janitor) == {"sweep_expired": 0}
    own_house.execute("select memhouse.set_job('sweep_expired', p_enabled => false)")
    assert run_due(own_house, janitor) == {}
    assert own_house.execute("select memhouse.run_job('sweep_expired')") == [(0,)]  # named, it runs all the same


def test_bad_jobs_are_refused(house: House, sqlstate) -> None:
    assert sqlstate(house.execute, "select memhouse.run_job('drop_everything')") == "MH010"
    assert sqlstate(house.execute, "select memhouse.run_job(null)") == "MH010"
    assert sqlstate(house.execute, "select memhouse.set_job('none', '1 hour')") == "MH010"
    assert sqlstate(house.execute, "select memhouse.set_job('sweep_expired', '0')") == "MH010"


def test_a_job_that_fails_leaves_its_error_and_nothing_of_its_work(own_house: House) -> None:
    id = expire_one(own_house)
    own_house.execute(
        """create function memhouse.break() returns trigger language plpgsql as
           $$ begin raise exception 'disk is on fire'; end $$;
           create trigger break before insert on memhouse.lifecycle_change for each row execute function memhouse.break()"""
    )
    assert run_due(own_house) == {"sweep_expired": None, "sweep_revalidation": 0, "refresh_projections": 1}
    assert Hand(own_house).state(id) == "active"
    ((error, rows, later),) = own_house.execute(
        "select last_error, last_rows, next_run_at > now() from memhouse.jobs() where job_name = 'sweep_expired'"
    )
    assert "disk is on fire" in error
    assert (rows, later) == (None, True)
    own_house.execute("drop trigger break on memhouse.lifecycle_change")
    assert own_house.execute("select memhouse.run_job('sweep_expired')") == [(1,)]
    assert own_house.execute("select last_error from memhouse.jobs() where job_name = 'sweep_expired'") == [(None,)]


def test_projections_are_refreshed_and_no_posture_is_left_behind(own_house: House, janitor: str) -> None:
    own_house.execute("select memhouse.set_account_setting('acme', 'experimental_minimal_recall', 'true')")
    Hand(own_house, "bot").remember("Projected.", embedding=str([1.0] * 16))
    with psycopg.connect(own_house.as_user(janitor)) as connection:
        assert connection.execute("select memhouse.run_job('refresh_projections')").fetchone() == (2,)
        assert connection.execute("select current_setting('memhouse.reader')").fetchone() == ("",)
    assert own_house.execute("select count(*) from memhouse.recall_document") == [(1,)]
    # Of a transaction that had a posture, that one is left.
    with psycopg.connect(own_house.dsn) as connection:
        connection.execute("select from memhouse.begin_read(%s)", (own_house.tokens["reader"],))
        connection.execute("select memhouse.run_job('refresh_projections')")
        assert connection.execute("select peer_key from memhouse.current_reader()").fetchone() == ("eli",)


def test_two_schedulers_do_not_run_a_job_twice(own_house: House) -> None:
    Hand(own_house, "bot").write(
        "select count(memhouse.remember('acme', 'Due ' || n, p_expires_at => 'yesterday')) from generate_series(1, 1000) as n"
    )
    outcomes: list[dict] = []
    threads = [threading.Thread(target=lambda: outcomes.append(run_due(own_house))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sum(outcome.get("sweep_expired") or 0 for outcome in outcomes) == 1000
    assert own_house.execute("select count(*) from memhouse.lifecycle_change") == [(1000,)]


def test_the_role_of_jobs_can_do_only_that(own_house: House, janitor: str, sqlstate) -> None:
    may = own_house.execute(
        """select p.oid::regprocedure::text from pg_proc as p
           where p.pronamespace = 'memhouse'::regnamespace and has_function_privilege('memhouse_jobs', p.oid, 'execute')"""
    )
    assert {name for (name,) in may} == MAY_RUN
    tables = own_house.execute(
        """select c.relname from pg_class as c where c.relnamespace = 'memhouse'::regnamespace and c.relkind in ('r', 'v')
           and (has_table_privilege('memhouse_jobs', c.oid, 'select,insert,update,delete,truncate')
                or has_any_column_privilege('memhouse_jobs', c.oid, 'select,insert,update'))"""
    )
    assert tables == []
    with psycopg.connect(own_house.as_user(janitor), autocommit=True) as connection:
        assert sqlstate(connection.execute, "select memhouse.begin_internal('acme')") == "42501"
        assert sqlstate(connection.execute, "select memhouse._sweep('redacted', 1, 1)") == "42501"
        assert sqlstate(connection.execute, "select memhouse.set_job('sweep_expired', '1 s')") == "42501"


def test_without_pg_cron_install_says_what_to_do(own_house: House, sqlstate) -> None:
    with pytest.raises(psycopg.Error) as refused:
        own_house.execute("select memhouse.install_jobs()")
    assert refused.value.sqlstate == "MH025"
    assert "jobs worker" in refused.value.diag.message_detail


@pytest.mark.tier("pg_cron")
def test_pg_cron_runs_the_sweep(cron_database: str, janitor: str, sqlstate) -> None:
    house = furnish(cron_database)
    ((version,),) = house.execute("select extversion from pg_extension where extname = 'pg_cron'")
    # Seconds came with 1.5; before, a minute is the shortest.
    schedule = "1 seconds" if tuple(int(part) for part in version.split("-")[0].split(".")) >= (1, 5) else "* * * * *"
    assert (
        sqlstate(house.execute, "select memhouse.install_jobs(%s, 'memhouse_jobs')", schedule) == "MH010"
    )  # cannot log in
    assert sqlstate(house.execute, "select memhouse.install_jobs(%s, 'app_writer')", schedule) == "MH010"  # may not
    ((entry,),) = house.execute("select memhouse.install_jobs(%s, %s)", schedule, janitor)
    assert house.execute("select memhouse.install_jobs(%s, %s)", schedule, janitor) == [
        (entry,)
    ]  # again: the same entry
    id = expire_one(house)
    try:
        deadline = time.monotonic() + 100
        while Hand(house).state(id) != "expired" and time.monotonic() < deadline:
            time.sleep(0.5)
        ran = house.execute("select username, status from cron.job_run_details where jobid = %s", entry)
        assert Hand(house).state(id) == "expired", ran
        assert (janitor, "succeeded") in ran or (janitor, "running") in ran
        ((role,),) = house.execute("select db_role from memhouse.lifecycle_change where knowledge_id = %s", id)
        assert role == janitor
    finally:
        assert house.execute("select memhouse.uninstall_jobs()") == [(True,)]
    assert house.execute("select memhouse.uninstall_jobs()") == [(False,)]
    assert house.execute("select count(*) from cron.job") == [(0,)]
    logged = house.execute("select action from memhouse.audit_log where action like '%%install_jobs' order by audit_id")
    assert [action for (action,) in logged] == ["install_jobs", "install_jobs", "uninstall_jobs", "uninstall_jobs"]
