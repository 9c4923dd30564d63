"""A server that is killed with SIGKILL and started again, to see what is left; and its standby."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
from psycopg.conninfo import make_conninfo

from memhouse_thin.server import embedded_binaries, system_user
from support.servers import Installation, wrapper

START_SECONDS = 60


class CrashServer:
    """One PostgreSQL with a data directory that survives its processes; of a primary, a physical standby of it."""

    def __init__(self, installation: Installation, base: Path, primary: CrashServer | None = None) -> None:
        self._base = base
        user = system_user()
        binaries = installation.binaries
        if user:
            os.chown(base, user.uid, user.gid)
            if not user.may_reach(binaries / "postgres"):
                binaries = embedded_binaries(user, base)
        for name in ("data", "run"):
            (base / name).mkdir(mode=0o700)
            if user:
                os.chown(base / name, user.uid, user.gid)
        self._postgres = wrapper(base, binaries / "postgres", user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        data = str(base / "data")
        if primary is None:
            make = ["-D", data, "-U", "postgres", "-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        else:
            make = ["-D", data, "-d", primary.dsn(""), "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
        program = binaries / ("initdb" if primary is None else "pg_basebackup")
        subprocess.run([wrapper(base, program, user), *make], check=True, capture_output=True)
        self._process: subprocess.Popen | None = None

    def dsn(self, database: str, user: str = "postgres") -> str:
        return make_conninfo(host="127.0.0.1", port=self.port, dbname=database, user=user)

    def start(self) -> None:
        """Starts it, after recovery if it was killed, and waits until it answers."""
        # A killed server takes nothing to the grave that the kernel has: no fsync is needed. What a commit
        # acknowledges must have reached the kernel, though, so synchronous_commit stays on.
        settings = ["fsync=off", "synchronous_commit=on", "timezone=UTC", f"unix_socket_directories={self._base}/run"]
        arguments = [part for setting in settings for part in ("-c", setting)]
        with (self._base / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._postgres, "-D", str(self._base / "data"), "-h", "127.0.0.1", "-p", str(self.port), *arguments],
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn("postgres"), connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.05)

    def kill(self) -> None:
        """Every process of it at once, with no chance to tidy up."""
        assert self._process is not None
        postmaster = psutil.Process(self._process.pid)
        postmaster.suspend()  # so that it starts no more while its children are listed
        family = [postmaster, *postmaster.children(recursive=True)]
        for process in family:
            process.send_signal(signal.SIGKILL)
        self._process.wait()
        psutil.wait_procs(family, timeout=10)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(START_SECONDS)


@contextmanager
def crash_server(installation: Installation, primary: CrashServer | None = None) -> Iterator[CrashServer]:
    base = Path(tempfile.mkdtemp(prefix="memhouse-crash-"))
    try:
        server = CrashServer(installation, base, primary)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(base, ignore_errors=True)
