"""Archives: an account as JSON Lines, out of one database and into another.

The first line says what the file is, each further line is a row, and the last holds the number of rows
and the SHA-256 of all lines before it. An archive holds what an account is made of and nothing that
is made from it: vectors and indexes are made again where it is restored. It holds no token: restored
credentials get new ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

import psycopg

from memhouse_thin import core, sql
from memhouse_thin.errors import ArgumentInvalid

FORMAT = 1
# Rows handed to the server at a time: enough to keep it busy, little enough for anybody's memory.
_BATCH_ROWS = 1000
_BATCH_BYTES = 4_000_000

#: Called with how many bytes are done and how many there are.
Progress = Callable[[int, int], None]


class ArchiveInvalid(ArgumentInvalid):
    """A file is no archive, is not whole, or was changed."""


@dataclass(slots=True)
class ArchiveReport:
    """What an archive holds: rows by table, and the checksum of the file."""

    account: str
    rows: dict[str, int] = field(default_factory=dict)
    sha256: str = ""
    credentials: list[str] = field(default_factory=list)
    """Names of restored credentials; each needs a new token before anybody gets in with it."""


def export_account(dsn: str, account: str, file: IO[bytes]) -> ArchiveReport:
    """Write an account as it is at one moment, whatever is written meanwhile."""
    report = ArchiveReport(account)
    digest = hashlib.sha256()

    def write(line: str) -> None:
        data = line.encode() + b"\n"
        digest.update(data)
        file.write(data)

    try:
        with psycopg.connect(dsn, **core.connection_defaults(dsn)) as conn:
            conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            head = {
                "archive": "memhouse",
                "format": FORMAT,
                "account": account,
                "exported_at": datetime.now(UTC).isoformat(),
            }
            with conn.cursor(name="archive") as rows:
                rows.itersize = _BATCH_ROWS
                rows.execute(sql.EXPORT_ACCOUNT, {"account": account})
                for number, (table, line) in enumerate(rows):
                    if number == 0:
                        write(json.dumps(head, ensure_ascii=False))
                    write(line)
                    report.rows[table] = report.rows.get(table, 0) + 1
    except psycopg.Error as error:
        raise core.failure(error) from error
    report.sha256 = digest.hexdigest()
    file.write(json.dumps({"rows": sum(report.rows.values()), "sha256": report.sha256}).encode() + b"\n")
    return report


def export_to(dsn: str, account: str, path: Path) -> ArchiveReport:
    """Write an archive to a file: a whole one or none, and for its owner's eyes only."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        partial = Path(file.name)
        try:
            report = export_account(dsn, account, file)
            file.flush()
            partial.rename(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    return report


def verify(path: Path) -> ArchiveReport:
    """Read an archive through; raises unless it is whole and as it was written."""
    digest = hashlib.sha256()
    rows: dict[str, int] = {}
    head: dict[str, Any] | None = None
    last = b""
    with path.open("rb") as file:
        for line in file:
            if last:
                digest.update(last)
                parsed = _parsed(last)
                if head is None:
                    head = _checked_head(parsed)
                else:
                    table = parsed.get("table")
                    if not isinstance(table, str) or not isinstance(parsed.get("row"), dict):
                        raise ArchiveInvalid("A line of the archive is not a row of a table.")
                    rows[table] = rows.get(table, 0) + 1
            last = line
    foot = _parsed(last) if head is not None else {}
    if head is None or foot.keys() != {"rows", "sha256"}:
        raise ArchiveInvalid("The file is no whole archive.", hint="Its last line, with the checksum, is missing.")
    if foot["sha256"] != digest.hexdigest() or foot["rows"] != sum(rows.values()):
        raise ArchiveInvalid("The archive was changed since it was written: its checksum does not match.")
    return ArchiveReport(head["account"], rows, digest.hexdigest())


def restore(dsn: str, path: Path, progress: Progress | None = None) -> ArchiveReport:
    """Make the account of an archive again, ids and times as they were: all of it or nothing."""
    report = verify(path)
    total, done = path.stat().st_size, 0
    try:
        with psycopg.connect(dsn, **core.connection_defaults(dsn)) as conn:
            for table, lines in _batches(path):
                rows = "[" + ",".join(lines) + "]"
                restored = conn.execute(sql.RESTORE_ROWS, {"table": table, "lines": rows}).fetchone()
                assert restored is not None
                done += len(rows)
                if table == "credential":
                    found = (json.loads(line)["row"] for line in lines)
                    report.credentials += [row["credential_name"] for row in found if row["revoked_at"] is None]
                if progress is not None:
                    progress(min(done, total), total)
    except psycopg.Error as error:
        raise core.failure(error) from error
    return report


@contextmanager
def _naming(what: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ArchiveInvalid(f"{what} is not JSON in UTF-8: {error}.") from error


def _parsed(line: bytes) -> dict[str, Any]:
    with _naming("A line of the archive"):
        parsed = json.loads(line)
    if not isinstance(parsed, dict):
        raise ArchiveInvalid("A line of the archive is not a JSON object.")
    return parsed


def _checked_head(head: dict[str, Any]) -> dict[str, Any]:
    if head.get("archive") != "memhouse" or not isinstance(head.get("account"), str):
        raise ArchiveInvalid("The file is no archive of memhouse.", hint="memhouse export writes archives.")
    if head.get("format") != FORMAT:
        raise ArchiveInvalid(f"The archive has format {head.get('format')}; this version reads format {FORMAT}.")
    return head


def _batches(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The rows of a verified archive, in order: some of one table at a time."""
    table, lines, size = "", list[str](), 0
    with path.open("rb") as file:
        next(file)
        for raw in file:
            parsed = json.loads(raw)
            of = parsed.get("table", "")
            if lines and (of != table or len(lines) == _BATCH_ROWS or size > _BATCH_BYTES):
                yield table, lines
                lines, size = [], 0
            table = of
            # The text itself and not what Python makes of it: numbers keep their digits.
            lines.append(raw.decode())
            size += len(raw)
