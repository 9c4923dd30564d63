"""pgbouncer in transaction mode before a server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memhouse_thin.server import system_user


def program() -> str | None:
    """Where pgbouncer is; None where it is not."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@contextmanager
def pooled(dsn: str, size: int, clients: int) -> Iterator[str]:
    """The DSN of a pool of so many server connections, for as long as the context lasts."""
    to = conninfo_to_dict(dsn)
    user, binary = to.get("user") or "postgres", program()
    assert binary is not None
    runs_as = system_user()
    base = Path(tempfile.mkdtemp(prefix="memhouse-bench-pool-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (base / "users").write_text(f'"{user}" ""\n')
    (base / "pgbouncer.ini").write_text(
        f"""[databases]
* = host={to.get("host") or "/var/run/postgresql"} port={to.get("port") or 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {base}/users
pool_mode = transaction
default_pool_size = {size}
max_client_conn = {clients + 10}
logfile = {base}/log
"""
    )
    command = [binary, "-q", str(base / "pgbouncer.ini")]
    if runs_as:
        for path in (base, *base.iterdir()):
            os.chown(path, runs_as.uid, runs_as.gid)
        change = [
            "setpriv",
            "--pdeathsig",
            "TERM",
            f"--reuid={runs_as.uid}",
            f"--regid={runs_as.gid}",
            "--clear-groups",
            "--",
        ]
        command = [*change, *command]
    process = subprocess.Popen(command)
    target = make_conninfo(host="127.0.0.1", port=port, dbname=to["dbname"], user=user)
    try:
        for attempt in range(100):
            try:
                psycopg.connect(target).close()
                break
            except psycopg.OperationalError:
                if attempt == 99:
                    raise
                time.sleep(0.05)
        yield target
    finally:
        process.terminate()
        process.wait(10)
        shutil.rmtree(base, ignore_errors=True)
