"""Files of memory into the database: JSON Lines, or a LoCoMo file of conversations.

A file is imported in one transaction, or a batch of lines at a time. Every line that is stored has a
source key, so importing a file again, or going on after a failure, stores nothing twice.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import tuple_row

from memhouse_thin import core, sql
from memhouse_thin.client import exchange
from memhouse_thin.core import Call, Embedder, Rows
from memhouse_thin.errors import AlreadyExists, ArgumentInvalid, MemhouseError, ScopeUnknown

#: Called with how many steps are done and how many there are.
Progress = Callable[[int, int], None]

# Lines sent at once, so that progress shows and memory stays bounded.
_BATCH_LINES = 500
_BATCH_CHARS = 4_000_000


class ImportFailed(MemhouseError):
    """A file could not be imported; ``cause`` is the error met, the message says where.

    ``stored`` is how many lines are stored nonetheless, ``stored_to`` the place of the last of them.
    """

    def __init__(self, message: str, cause: MemhouseError, *, line: int, field: str | None) -> None:
        super().__init__(message, detail=cause.detail, hint=cause.hint, sqlstate=cause.sqlstate)
        self.cause = cause
        self.line = line
        self.field = field
        self.stored = 0
        self.stored_to: str | None = None


class LineInvalid(ArgumentInvalid):
    """A line of an import file is not what the format says."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message, hint="The client guide describes the format of import files.")
        self.field = field


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to store. ``place`` names it for people: a line number, or a turn of a conversation."""

    number: int
    place: str
    type: str
    data: Mapping[str, Any]

    @property
    def source_key(self) -> str:
        key: str = self.data.get("source_key") or _derived_key(self.type, self.data)
        return key


@dataclass(slots=True)
class Count:
    """How many things of a type were new, and how many were there already."""

    new: int = 0
    existing: int = 0


@dataclass(slots=True)
class ImportReport:
    """What an import stored."""

    lines: int = 0
    scopes: Count = field(default_factory=Count)
    peers: Count = field(default_factory=Count)
    observations: Count = field(default_factory=Count)
    knowledge: Count = field(default_factory=Count)
    relations: int = 0
    vectors: int = 0
    seconds: float = 0.0


# Reading files ---------------------------------------------------------------------------------

# Of each type of line: the fields it must have, and those it may.
_FIELDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "scope": (frozenset({"scope"}), frozenset({"parent"})),
    "peer": (frozenset({"peer_key"}), frozenset({"display_name"})),
    "observation": (
        frozenset({"scope", "content"}),
        frozenset({"source_key", "role", "peer_key", "occurred_at", "session_key", "sensitivity", "metadata"}),
    ),
    "knowledge": (
        frozenset({"scope", "statement"}),
        frozenset(
            {"source_key", "subject_peer", "kind", "sensitivity", "target_level", "confidence", "relevant_from"}
            | {"relevant_until", "expires_at", "sources", "metadata", "state"}
        ),
    ),
    "relation": (frozenset({"from", "to", "relation"}), frozenset({"confidence"})),
}


def _derived_key(type: str, data: Mapping[str, Any]) -> str:
    canonical = json.dumps({"type": type, **data}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "line:" + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _checked(value: Any) -> tuple[str, Mapping[str, Any]]:
    """The type and the fields of one parsed line."""
    if not isinstance(value, dict):
        raise LineInvalid("A line is one JSON object.")
    data = {key: item for key, item in value.items() if key != "type"}
    type = value.get("type")
    if not isinstance(type, str) or type not in _FIELDS:
        raise LineInvalid(f"The type is {type!r}; it must be one of {', '.join(_FIELDS)}.", "type")
    required, optional = _FIELDS[type]
    for name in sorted(data.keys() - required - optional):
        raise LineInvalid(f"A line of type {type} has no field {name!r}.", name)
    for name in sorted(required):
        if data.get(name) is None:
            raise LineInvalid(f"A line of type {type} needs the field {name!r}.", name)
    for name, item in data.items():
        if name == "confidence":
            wanted = isinstance(item, int | float) and not isinstance(item, bool)
        elif name == "metadata":
            wanted = isinstance(item, dict)
        elif name == "sources":
            wanted = isinstance(item, list) and all(isinstance(source, str) for source in item)
        else:
            wanted = isinstance(item, str)
        if item is not None and not wanted:
            raise LineInvalid(f"The field {name!r} has a value of the wrong type.", name)
    return type, {name: item for name, item in data.items() if item is not None}


def read_jsonl(path: Path) -> Iterator[Line]:
    """The lines of a JSON Lines file; blank ones are skipped."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.strip():
                continue
            with _located(path, number, f"line {number}"):
                try:
                    value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
                except ValueError as error:  # bad UTF-8 or bad JSON
                    raise LineInvalid(f"The line is not JSON in UTF-8: {error}.") from error
                type, data = _checked(value)
            yield Line(number, f"line {number}", type, data)


def read_locomo(path: Path) -> Iterator[Line]:
    """A LoCoMo file: each conversation a scope, its speakers peers, each turn an observation and a statement."""
    with _located(path, 0, "the file"):
        try:
            samples = json.loads(path.read_text(encoding="utf-8"))
            turns = list(_locomo(samples))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LineInvalid(f"This is no LoCoMo file: {type(error).__name__}: {error}.") from error
    for number, (place, kind, data) in enumerate(turns, start=1):
        yield Line(number, place, kind, data)


def _locomo(samples: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    if not isinstance(samples, list):
        raise TypeError("it holds no list of conversations")
    yield "the root scope", "scope", {"scope": "locomo"}
    for sample in samples:
        id, conversation = sample["sample_id"], sample["conversation"]
        scope = f"locomo/{id}"
        yield id, "scope", {"scope": scope, "parent": "locomo"}
        for speaker in (conversation["speaker_a"], conversation["speaker_b"]):
            yield id, "peer", {"peer_key": speaker, "display_name": speaker}
        sessions = (re.fullmatch(r"session_(\d+)", name) for name in conversation)
        for session in sorted(int(found[1]) for found in sessions if found):
            date_text = conversation[f"session_{session}_date_time"]
            occurred = datetime.strptime(date_text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for turn in conversation[f"session_{session}"]:
                key, text = f"{id}:{turn['dia_id']}", turn["text"].strip()
                if caption := turn.get("blip_caption"):
                    text = f"{text} [shares a photo: {caption}]".strip()
                yield (
                    key,
                    "observation",
                    {
                        "source_key": key,
                        "scope": scope,
                        "content": text,
                        "peer_key": turn["speaker"],
                        "occurred_at": occurred.isoformat(),
                        "session_key": f"{id}:session_{session}",
                        "sensitivity": "internal",
                    },
                )
                yield (
                    key,
                    "knowledge",
                    {
                        "source_key": key,
                        "scope": scope,
                        "statement": f"[{date_text}] {turn['speaker']}: {text}",
                        "kind": "event",
                        "sources": [key],
                    },
                )


FORMATS: Mapping[str, Callable[[Path], Iterator[Line]]] = {"jsonl": read_jsonl, "locomo": read_locomo}


# Storing ---------------------------------------------------------------------------------------


@contextmanager
def _located(path: Path, number: int, place: str) -> Iterator[None]:
    """Says of an error at which line of which file it was met."""
    try:
        yield
    except MemhouseError as error:
        field = _field_of(error)
        where = f"{path}, {place}" + (f", field {field}" if field else "")
        raise ImportFailed(f"{where}: {error.message}", error, line=number, field=field) from error


def _field_of(error: MemhouseError) -> str | None:
    """The field of a line that an error is about, as far as it tells."""
    if isinstance(error, LineInvalid):
        return error.field
    if isinstance(error, ScopeUnknown):
        return "scope"
    # The server names its parameter (p_scope), the client its argument.
    named = re.search(r"\bp_(\w+)|^(\w+) (?:is|has|holds) ", error.detail or "")
    return (named[1] or named[2]) if named else None


class _Import:
    """One import: what was stored so far, and under which ids."""

    def __init__(
        self,
        conn: psycopg.Connection[Any],
        path: Path,
        credential: str | None,
        embedder: Embedder | None,
        advance: Callable[[int], None],
    ) -> None:
        self._conn = conn
        self._path = path
        self._credential = credential
        self._embedder = embedder
        self._advance = advance
        self.report = ImportReport()
        row = self._execute(Call(sql.SERVER_CLOCK))
        self._started_ms = int(row[0].timestamp() * 1000)
        # By source key; None where a key stands for different things in two scopes.
        self._observations: dict[str, UUID | None] = {}
        self._knowledge: dict[str, UUID | None] = {}

    def store(self, lines: Sequence[Line]) -> None:
        """Store some lines in one transaction, each type after those it refers to."""
        of_type: dict[str, list[Line]] = {type: [] for type in _FIELDS}
        for line in lines:
            of_type[line.type].append(line)
        # Before the transaction, so that it is open no longer than storing takes.
        self._vectors = {line.number: self._vector(line) for line in of_type["knowledge"]}
        with self._conn.transaction():
            if of_type["scope"] or of_type["peer"]:
                account = self._execute(core.begin_write(self._credential))[0]
                self._administer(account, of_type["scope"] + of_type["peer"])
            # Begun after the scopes are there: a posture knows the scopes of its beginning.
            self._execute(core.begin_write(self._credential))
            ids = self._store(of_type["observation"], self._observation, self._observe)
            self._note(of_type["observation"], ids, self._observations, self.report.observations)
            ids = self._store(of_type["knowledge"], self._statement, self._remember)
            self._note(of_type["knowledge"], ids, self._knowledge, self.report.knowledge)
            self._send(of_type["relation"], self._relate)
        self.report.relations += len(of_type["relation"])
        self.report.vectors += sum(vector is not None for vector in self._vectors.values())
        self.report.lines += len(lines)

    def _execute(self, call: Call) -> Sequence[Any]:
        """The first row of one call outside any pipeline."""
        try:
            row = psycopg.Cursor(self._conn, row_factory=tuple_row).execute(call.sql, call.params or None).fetchone()
        except Exception as error:
            raise core.failure(error) from error
        assert row is not None
        return row

    def _administer(self, account: str, lines: Iterable[Line]) -> None:
        """Create scopes and peers, leaving alone those that exist."""
        for line in lines:
            data = line.data
            if line.type == "scope":
                count, call = self.report.scopes, core.create_scope(account, data["scope"], data.get("parent"))
            else:
                count, call = self.report.peers, core.create_peer(account, data["peer_key"], data.get("display_name"))
            with _located(self._path, line.number, line.place):
                try:
                    with self._conn.transaction():
                        self._execute(call)
                    count.new += 1
                except AlreadyExists:
                    count.existing += 1
            self._advance(1)

    def _vector(self, line: Line) -> str | None:
        if self._embedder is None:
            return None
        try:
            return core.vector_text(self._embedder(line.data["statement"]))
        except Exception as error:
            core.embedder_failed(error, strict=False)
            return None
        finally:
            self._advance(1)

    def _observation(self, line: Line) -> Mapping[str, Any]:
        return {**line.data, "type": line.type, "source_key": line.source_key}

    def _statement(self, line: Line) -> Mapping[str, Any]:
        entry = {**line.data, "type": line.type, "source_key": line.source_key}
        if "sources" in line.data:
            entry["sources"] = self._sources(line)
        if self._vectors[line.number] is not None and self._embedder is not None:
            entry |= {"embedding": self._vectors[line.number], "identity": self._embedder.identity.key}
        return entry

    def _sources(self, line: Line) -> list[str]:
        keys = line.data.get("sources", ())
        return [str(self._resolve(key, self._observations, "sources", "observation")) for key in keys]

    def _observe(self, line: Line) -> Call:
        return core.observe(**{**line.data, "source_key": line.source_key})

    def _remember(self, line: Line) -> Call:
        item = core.statement({**line.data, "sources": self._sources(line), "source_key": line.source_key})
        identity = None if self._embedder is None else self._embedder.identity
        return core.remember(item, self._vectors[line.number], identity)

    def _relate(self, line: Line) -> Call:
        start, end = (self._resolve(line.data[name], self._knowledge, name, "knowledge") for name in ("from", "to"))
        return core.relate(start, end, line.data["relation"], line.data.get("confidence", 1.0))

    def _resolve(self, key: str, ids: Mapping[str, UUID | None], field: str, type: str) -> UUID:
        if key not in ids:
            raise LineInvalid(f"No earlier line of type {type} has the source_key {key!r}.", field)
        id = ids[key]
        if id is None:
            raise LineInvalid(f"Lines of type {type} in two scopes have the source_key {key!r}.", field)
        return id

    def _store(
        self, lines: Sequence[Line], entry: Callable[[Line], Mapping[str, Any]], build: Callable[[Line], Call]
    ) -> list[Any]:
        """The ids of lines, stored in batches. A batch that fails is sent line by line: that names the line."""
        ids: list[Any] = []
        for batch in _batches(lines):
            entries = []
            for line in batch:
                with _located(self._path, line.number, line.place):
                    entries.append(entry(line))
            try:
                with self._conn.transaction():
                    ids.extend(self._execute(core.import_batch(entries))[0])
            except (MemhouseError, psycopg.Error):
                ids.extend(self._send(batch, build))
            else:
                self._advance(len(batch))
        return ids

    def _send(self, lines: Sequence[Line], build: Callable[[Line], Call]) -> list[Any]:
        """The value of each line's call, sent in pipelines; an error names the line it is about."""
        values: list[Any] = []
        for start in range(0, len(lines), _BATCH_LINES):
            batch = lines[start : start + _BATCH_LINES]
            calls = []
            for line in batch:
                with _located(self._path, line.number, line.place):
                    calls.append(build(line))
            rows: list[Rows] = []
            try:
                exchange(self._conn, calls, rows)
            except Exception as error:
                line = batch[min(len(rows), len(batch) - 1)]
                with _located(self._path, line.number, line.place):
                    raise core.failure(error) from error
            values.extend(answer[0][0] for answer in rows)
            self._advance(len(batch))
        return values

    def _note(self, lines: Sequence[Line], ids: Sequence[UUID], known: dict[str, UUID | None], count: Count) -> None:
        seen: set[UUID] = set()
        for line, id in zip(lines, ids, strict=True):
            key = line.source_key
            known[key] = id if known.get(key, id) == id else None
            # An id made before this import began, or met twice in it, is a line that was stored already.
            if core.created_at_ms(id) < self._started_ms or id in seen:
                count.existing += 1
            else:
                count.new += 1
            seen.add(id)


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Lines in their order, so many at a time that one call can carry them."""
    batch: list[Line] = []
    chars = 0
    for line in lines:
        size = len(line.data.get("content") or line.data.get("statement") or "")
        if batch and (len(batch) == _BATCH_LINES or chars + size > _BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(line)
        chars += size
    if batch:
        yield batch


def import_file(
    dsn: str,
    path: Path,
    *,
    format: str = "jsonl",
    credential: str | None = None,
    embedder: Embedder | None = None,
    commit_every: int | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Store a file, in one transaction or ``commit_every`` lines at a time.

    Lines of type scope and peer need a role with memhouse_admin, the others a credential that may write.
    With an embedder each statement's vector is stored with it; a text the embedder fails on goes without.
    On failure ``ImportFailed.stored`` says how many lines are stored.
    """
    started = time.perf_counter()
    lines = list(FORMATS[format](path))
    total = len(lines) + (sum(line.type == "knowledge" for line in lines) if embedder is not None else 0)
    done = 0

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        if progress is not None:
            progress(done, total)

    try:
        conn = psycopg.connect(dsn, autocommit=True, prepare_threshold=None, **core.connection_defaults(dsn))
    except Exception as error:
        raise core.failure(error) from error
    with conn:
        task = _Import(conn, path, credential, embedder, advance)
        size = commit_every or max(1, len(lines))
        for start in range(0, len(lines), size):
            try:
                task.store(lines[start : start + size])
            except ImportFailed as failed:
                failed.stored = start
                failed.stored_to = lines[start - 1].place if start else None
                raise
    task.report.seconds = time.perf_counter() - started
    return task.report
