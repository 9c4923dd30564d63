"""The commands of jobs, archives and erasure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memhouse_thin.cli import main
from support.hand import Hand
from support.house import House

Run = Callable[..., Result]


@pytest.fixture
def run(own_house: House) -> Run:
    def invoke(*arguments: str, **options: object) -> Result:
        result = CliRunner().invoke(main, arguments, env={"MEMHOUSE_DSN": own_house.dsn}, **options)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return invoke


def test_jobs(own_house: House, run: Run) -> None:
    assert "has not run yet" in run("jobs", "list").output
    Hand(own_house).remember("Over.", expires_at="yesterday")
    assert "sweep_expired: 1 rows" in run("jobs", "run").output
    # What moved is read again by the projections, which then look once more.
    run("jobs", "run")
    run("jobs", "run")
    assert run("jobs", "run").output == "nothing is due\n"
    assert json.loads(run("jobs", "run", "sweep_expired", "--json").output) == [{"job": "sweep_expired", "rows": 0}]
    listed = {job["job_name"]: job for job in json.loads(run("jobs", "list", "--json").output)}
    assert listed["sweep_expired"]["last_rows"] == 0
    assert run("jobs", "run", "nonsense").exit_code == 7
    if not own_house.execute("select 1 from pg_extension where extname = 'pg_cron'"):
        refused = run("jobs", "install")
        assert refused.exit_code == 9
        assert "memhouse jobs worker" in refused.output


def test_a_worker_runs_what_becomes_due_until_it_is_told_to_stop(own_house: House) -> None:
    id = Hand(own_house).remember("Soon over.", expires_at=own_house.execute("select now() + interval '1 s'")[0][0])
    own_house.execute("select memhouse.set_job('sweep_expired', '100 ms')")
    command = [sys.executable, "-c", "from memhouse_thin.cli import main; main()", "jobs", "worker", "--every", "0.2"]
    worker = subprocess.Popen(
        command,
        env={**os.environ, "MEMHOUSE_DSN": own_house.dsn},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        deadline = time.monotonic() + 30
        while Hand(own_house).state(id) != "expired" and time.monotonic() < deadline:
            time.sleep(0.1)
        assert Hand(own_house).state(id) == "expired"
    finally:
        worker.send_signal(signal.SIGINT)
        output, _ = worker.communicate(timeout=20)
    assert "sweep_expired: 1 rows" in output
    assert "Traceback" not in output


def test_export_and_import(own_house: House, run: Run, tmp_path: Path) -> None:
    Hand(own_house).remember("Kept.")
    path = tmp_path / "acme.jsonl"
    assert "rows of acme" in run("export", "acme", "-o", str(path)).output
    written = json.loads(run("export", "acme", "-o", str(path), "--json").output)
    assert written["rows"]["knowledge"] == 1
    again = run("import", "--archive", str(path))
    assert again.exit_code == 7
    assert "already" in again.output
    assert run("export", "nobody").exit_code == 6
    path.write_text(path.read_text().replace("Kept.", "Made up."))
    damaged = run("import", "--archive", str(path))
    assert damaged.exit_code == 7
    assert "checksum" in damaged.output


def test_a_restored_account_says_what_is_left_to_do(own_house: House, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "acme.jsonl"
    run("export", "acme", "-o", str(path))
    own_house.execute("truncate memhouse.account, memhouse.audit_log cascade")
    restored = run("import", "--archive", str(path))
    assert restored.exit_code == 0, restored.output
    assert "account acme restored" in restored.output
    assert "without a token until renewed: bot, dana, reader, billing" in restored.output
    token = run("credential", "renew", "bot", "--account", "acme").output.split()[0]
    assert token.startswith("mh_")


def test_erasing_a_person_asks_first(own_house: House, run: Run) -> None:
    assert run("peer", "erase", "dana", "--account", "acme", input="n\n").exit_code == 1
    assert own_house.execute("select 1 from memhouse.peer where peer_key = 'dana'")
    erased = json.loads(run("peer", "erase", "dana", "--account", "acme", "--yes", "--json").output)
    assert erased == {"peer": "dana", "statements": 0, "observations": 0, "credentials": 1}
    assert run("peer", "erase", "dana", "--account", "acme", "--yes").exit_code == 6
