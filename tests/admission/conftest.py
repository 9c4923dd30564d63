"""A fortress to attack, the attacker, and a transaction pool between them."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from memhouse_thin.server import system_user
from support.fortress import Attacker, Fortress, build
from support.servers import Server


@pytest.fixture(scope="session")
def fortress(server: Server, database: str) -> Fortress:
    """Read by all tests of this folder that take it; those that change something undo it or use rows of their own."""
    return build(server, database)


@pytest.fixture(params=["direct", "pooled"])
def attacker(request: pytest.FixtureRequest, fortress: Fortress) -> Iterator[Attacker]:
    """Attacks go to the server, and once more through a transaction pool."""
    dsn = fortress.dsn()
    if request.param == "pooled":
        dsn = request.getfixturevalue("pool")
    with psycopg.connect(dsn, autocommit=True) as conn:
        made = Attacker(fortress, conn)
        yield made
        made.found_nothing_hidden()


@pytest.fixture(scope="session")
def pool(fortress: Fortress) -> Iterator[str]:
    """pgbouncer in transaction mode before the fortress, with a single server connection: everybody shares it."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed (make server installs it)")
    user = system_user()
    base = Path(tempfile.mkdtemp(prefix="memhouse-pool-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (base / "users").write_text('"app_analyst" ""\n')
    (base / "pgbouncer.ini").write_text(
        f"""[databases]
* = host=127.0.0.1 port={fortress.server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {base}/users
pool_mode = transaction
default_pool_size = 1
max_client_conn = 50
logfile = {base}/log
"""
    )
    for path in (base, *base.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
        if user:
            os.chown(path, user.uid, user.gid)
    command = [program, "-q", str(base / "pgbouncer.ini")]
    if user:
        command = ["setpriv", f"--reuid={user.uid}", f"--regid={user.gid}", "--clear-groups", "--", *command]
    process = subprocess.Popen(shlex.join(command), shell=True, start_new_session=True)
    dsn = make_conninfo(host="127.0.0.1", port=port, dbname=fortress.name, user="app_analyst")
    try:
        for _ in range(100):
            try:
                psycopg.connect(dsn).close()
                break
            except psycopg.OperationalError:
                time.sleep(0.05)
        yield dsn
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)
        shutil.rmtree(base, ignore_errors=True)
