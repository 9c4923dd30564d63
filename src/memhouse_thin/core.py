"""What the client says to the server and how it reads the answer; no I/O.

A *call* is one SQL text with its parameters. The shells (``client`` and ``aio``) send a list of
calls in one pipelined round trip and hand the rows back to the functions here.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Protocol, runtime_checkable
from uuid import UUID

import psycopg
from psycopg.abc import AdaptContext
from psycopg.adapt import Dumper
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format

from memhouse_thin import sql
from memhouse_thin.errors import (
    ArgumentInvalid,
    ConnectionFailed,
    EmbedderFailed,
    EmbeddingInvalid,
    MemhouseError,
    from_psycopg,
)
from memhouse_thin.results import EmbeddingIdentity, ReaderPosture, SearchResult

#: The rows of one call.
Rows = Sequence[Sequence[Any]]

_log = logging.getLogger("memhouse_thin")

#: A moment, as an aware datetime or as text that PostgreSQL reads.
Instant = datetime | str

#: The bound on every statement of a read whose profile's deadline is not known yet.
READ_BOUND_MS = 60_000

#: What the server is given is earlier than the deadline by this much (at most a fifth of it): fusion, the final read and the
#: way back take a few milliseconds after the strategies were stopped.
MARGIN_MS = 10

#: The bound, beyond the deadline, on steps of a parallel read that take a few milliseconds and must not be cut off.
FUSE_MS = 1_000

#: How long a client waits for a server that does not answer, unless told otherwise.
CONNECT_TIMEOUT_S = 10


@runtime_checkable
class Embedder(Protocol):
    """Anything callable that turns a text into a vector and says in which vector space."""

    @property
    def identity(self) -> EmbeddingIdentity: ...

    def __call__(self, text: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Call:
    """One statement and its parameters."""

    sql: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something to remember: the arguments of ``Client.remember`` as one value."""

    statement: str
    scope: str
    subject_peer: str | None = None
    kind: str = "fact"
    sensitivity: str = "internal"
    target_level: str | None = None
    confidence: float = 1.0
    relevant_from: Instant | None = None
    relevant_until: Instant | None = None
    expires_at: Instant | None = None
    sources: Sequence[UUID | str] = ()
    embedding: Sequence[float] | None = None
    identity: EmbeddingIdentity | str | None = None
    metadata: Mapping[str, Any] | None = None
    source_key: str | None = None
    state: str = "active"


# Parameters ------------------------------------------------------------------------------------


def clean_text(name: str, value: str | None) -> str | None:
    """The text, unless it holds the one character PostgreSQL's text cannot."""
    if isinstance(value, str) and "\x00" in value:
        raise ArgumentInvalid(
            "A text holds the NUL character.",
            detail=f"{name} has NUL at character {value.index(chr(0)) + 1}.",
            hint="Remove it; PostgreSQL text cannot store NUL.",
        )
    return value


#: pgvector holds no more numbers in one vector.
MAX_DIMENSIONS = 16_000


def _vector_numbers(vector: Iterable[float]) -> list[float]:
    """The numbers of a vector, unless it is none."""
    try:
        numbers = list(map(float, vector))
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbeddingInvalid("The embedding is not a sequence of numbers.", detail=str(error)) from error
    # pgvector's own input function would answer these with an error that names nothing of ours.
    if not numbers:
        raise _unusable("is empty")
    if len(numbers) > MAX_DIMENSIONS:
        raise _unusable(f"has more than {MAX_DIMENSIONS} numbers")
    if not all(map(math.isfinite, numbers)):
        raise _unusable("holds NaN or infinity")
    return numbers


def _unusable(what: str) -> EmbeddingInvalid:
    return EmbeddingInvalid(
        "The embedding cannot be used.",
        detail=f"The vector {what}.",
        hint="Pass finite numbers, as many as the embedding identity has dimensions.",
    )


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector as pgvector receives it: its dimension and 0 as two bytes each, then the numbers in single precision."""

    binary: bytes


class VectorDumper(Dumper):
    """Sends a vector, and names no type: it takes that of the function's parameter, wherever pgvector is installed."""

    format = Format.BINARY

    def dump(self, obj: Vector) -> bytes:
        return obj.binary


def send_vectors(context: AdaptContext) -> None:
    """Let a connection send vectors; the caller's may be older than the import of this module."""
    context.adapters.register_dumper(Vector, VectorDumper)


def as_vector(vector: Iterable[float] | Vector | None) -> Vector | None:
    """A vector to send, which may be one already. Raises ``EmbeddingInvalid``."""
    if vector is None or isinstance(vector, Vector):
        return vector
    numbers = _vector_numbers(vector)
    try:
        return Vector(struct.pack(f">hh{len(numbers)}f", len(numbers), 0, *numbers))
    except OverflowError as error:
        raise _unusable("holds a number beyond single precision") from error


def vector_text(vector: Iterable[float] | None) -> str | None:
    """A vector as text, for JSON; nine digits give a single-precision number back exactly."""
    if vector is None:
        return None
    numbers = _vector_numbers(vector)
    return "[" + ",".join(["%.9g"] * len(numbers)) % tuple(numbers) + "]"


def identity_key(identity: EmbeddingIdentity | str | None) -> str | None:
    """The key of an identity, which may be given as the key already."""
    return identity.key if isinstance(identity, EmbeddingIdentity) else identity


def json_text(name: str, value: Mapping[str, Any] | None) -> str:
    """A mapping as JSON; dates and uuids are written as text."""

    def plain(item: Any) -> Any:
        if isinstance(item, date):  # a datetime is one
            return item.isoformat()
        if isinstance(item, UUID):
            return str(item)
        raise TypeError(f"{type(item).__name__} is not a JSON value")

    try:
        return json.dumps({} if value is None else value, default=plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ArgumentInvalid(f"{name} cannot be written as JSON.", detail=str(error)) from error


def as_uuid(name: str, value: UUID | str) -> UUID:
    """An id, which may be given as text."""
    try:
        return value if isinstance(value, UUID) else UUID(value)
    except (ValueError, TypeError, AttributeError) as error:
        raise ArgumentInvalid(f"{name} is not a uuid.", detail=f"{name} is {value!r}.") from error


# Time ------------------------------------------------------------------------------------------


class Clock:
    """The deadline of one call, counted from the moment the client was asked."""

    __slots__ = ("_started", "deadline_ms")

    def __init__(self, deadline_ms: int | None = None) -> None:
        self._started = time.perf_counter()
        self.deadline_ms = deadline_ms

    @property
    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000


# The round trip --------------------------------------------------------------------------------------


def brackets(joined: bool, read: bool) -> tuple[tuple[Call, ...], tuple[Call, ...]]:
    """What goes before and after the calls: a transaction of our own, or a savepoint in the caller's.

    A read in the caller's transaction is rolled back to its savepoint, which puts the posture and
    ``statement_timeout`` back to what they were; a write is kept, and commits when the caller does.
    """
    if not joined:
        return (Call(sql.BEGIN),), (Call(sql.COMMIT),)
    end = (Call(sql.ROLLBACK_TO), Call(sql.RELEASE)) if read else (Call(sql.RELEASE),)
    return (Call(sql.SAVEPOINT),), end


UNDO_JOINED = (Call(sql.ROLLBACK_TO), Call(sql.RELEASE))


def answered(cursors: Sequence[psycopg.Cursor[Any] | psycopg.AsyncCursor[Any]]) -> int:
    """How many cursors the server answered, before the first one it did not."""
    for position, cursor in enumerate(cursors):
        if cursor.pgresult is None:
            return position
    return len(cursors)


def failure(error: Exception, *, deadline_passed: bool = False, position: int | None = None) -> MemhouseError:
    """What to raise for an error met on the way; ours go through as they are."""
    if isinstance(error, MemhouseError):
        return error
    failed = from_psycopg(error, deadline_passed=deadline_passed)
    failed.position = position
    return failed


@contextmanager
def at_position(position: int) -> Iterator[None]:
    """Note in an error which item of a batch it is about."""
    try:
        yield
    except MemhouseError as error:
        error.position = position
        raise


def no_deadline(answers: Sequence[Rows]) -> bool:
    """For calls that have none: a cancelled statement was cancelled by somebody."""
    return False


def connection_defaults(dsn: str) -> dict[str, Any]:
    """What a connection of the client's own gets where neither the caller nor the environment says."""
    given = conninfo_to_dict(dsn)
    defaults: dict[str, Any] = {}
    if "connect_timeout" not in given and "PGCONNECT_TIMEOUT" not in os.environ:
        defaults["connect_timeout"] = CONNECT_TIMEOUT_S
    if "fallback_application_name" not in given:
        defaults["fallback_application_name"] = "memhouse"
    return defaults


# Query vectors ---------------------------------------------------------------------------------


class QueryCache:
    """Query vectors, least recently used ones dropped first; safe to share between threads and clients.

    Keyed by account, embedding identity and the digest of the text: no query text is held.
    """

    def __init__(self, max_entries: int = 1024) -> None:
        self._max_entries = max_entries
        self._vectors: OrderedDict[tuple[str, str, bytes], Vector] = OrderedDict()
        self._lock = threading.Lock()

    @staticmethod
    def _key(account: str, identity: EmbeddingIdentity, text: str) -> tuple[str, str, bytes]:
        # The prefix is part of what was embedded, though not of the identity.
        digest = hashlib.sha256((identity.query_prefix + text).encode("utf-8", "surrogatepass"))
        return account, identity.key, digest.digest()

    def get(self, account: str | None, identity: EmbeddingIdentity, text: str) -> Vector | None:
        """The vector, or None; an account not known yet has none."""
        if account is None:
            return None
        key = self._key(account, identity, text)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, account: str, identity: EmbeddingIdentity, text: str, vector: Vector) -> None:
        """Keep a vector, dropping the least recently used one when full."""
        if self._max_entries < 1:
            return
        key = self._key(account, identity, text)
        with self._lock:
            self._vectors[key] = vector
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._max_entries:
                self._vectors.popitem(last=False)

    def __len__(self) -> int:
        return len(self._vectors)


def embedder_failed(error: Exception, strict: bool) -> None:
    """Raise when strict; otherwise go on without a vector, and say so in the log, without any text."""
    if strict:
        raise EmbedderFailed("The embedder gave no vector.", detail=f"{type(error).__name__}: {error}") from error
    _log.warning("the embedder failed (%s); going on without a vector", type(error).__name__)


def log_failure(error: MemhouseError) -> None:
    """Note an error that costs part of an answer only."""
    _log.warning("token vectors could not be read (%s); going on without", type(error).__name__)


def no_embedder() -> ArgumentInvalid:
    return ArgumentInvalid("This client has no embedder.", hint="Create the client with embedder=...")


# Calls -----------------------------------------------------------------------------------------


def begin_read(
    credential: str | None,
    peer_key: str | None = None,
    scope: str | None = None,
    known_at: Instant | None = None,
) -> Call:
    return Call(
        sql.BEGIN_READ,
        {
            "credential": clean_text("credential", credential),
            "peer_key": clean_text("peer_key", peer_key),
            "scope": clean_text("scope", scope),
            "known_at": known_at,
        },
    )


def timeout(ms: int) -> Call:
    """Bounds what follows in the transaction."""
    return Call(sql.SET_TIMEOUT, {"timeout_ms": ms})


def begin_write(credential: str | None) -> Call:
    return Call(sql.BEGIN_WRITE, {"credential": clean_text("credential", credential)})


def begin_internal(account: str) -> Call:
    return Call(sql.BEGIN_INTERNAL, {"account": clean_text("account", account)})


@dataclass(frozen=True, slots=True)
class Search:
    """One read: the calls of its round trip, and where in them the answers stand."""

    calls: tuple[Call, ...]
    #: Begins the posture of this read and nothing else.
    begin: Call
    clock: Clock
    spent_ms: int
    margin_ms: int

    def deadline_ms(self, answers: Sequence[Rows]) -> int | None:
        """The whole deadline, from the client's call; None while only the server knows it."""
        if self.clock.deadline_ms is not None:
            return self.clock.deadline_ms
        if len(answers) <= _BEGUN:
            return None
        return int(answers[_BEGUN][0][_DEADLINE]) + self.margin_ms + self.spent_ms

    def deadline_passed(self, answers: Sequence[Rows]) -> bool:
        """Whether our own clock is beyond the deadline, as far as the answers tell it."""
        if len(answers) > _BEGUN:
            # What the server's timers were set to: less than the deadline, by the margin and what is reserved for reranking.
            return self.clock.elapsed_ms >= self.spent_ms + int(answers[_BEGUN][0][_TIMEOUT])
        deadline_ms = self.clock.deadline_ms
        return self.clock.elapsed_ms >= (READ_BOUND_MS if deadline_ms is None else deadline_ms - self.margin_ms)

    def late(self, answers: Sequence[Rows]) -> Search | None:
        """The same read for what it can say at once, of a posture that was begun: after the deadline fell on an answer on its way.

        The server's timer ends a statement until its last byte is sent, out of reach of the function that would go on with less.
        """
        if len(answers) <= _BEGUN:
            return None
        self.clock.deadline_ms = self.deadline_ms(answers)
        begin, ask = self.calls[_BEGUN:]
        first = Call(sql.SET_STATEMENT_TIMEOUT.format(ms=FUSE_MS))
        return replace(self, calls=(first, Call(begin.sql, {**begin.params, "deadline_ms": 1}), ask))

    def result(self, answers: Sequence[Rows], embedding_ms: float) -> SearchResult:
        """The answer out of the rows of every call."""
        deadline_ms = self.deadline_ms(answers)
        assert deadline_ms is not None
        return SearchResult.from_json(
            answers[-1][0][0],
            reader=ReaderPosture.from_row(answers[_BEGUN][0][:_DEADLINE]),
            deadline_ms=deadline_ms,
            embedding_ms=embedding_ms,
            total_ms=self.clock.elapsed_ms,
        )


# Where the answer to BEGIN_SEARCH stands among those of a search, and in it, after the posture, the deadline and the timeout set.
_BEGUN = 1
_DEADLINE = 6
_TIMEOUT = 7


def search(
    query: str,
    clock: Clock,
    *,
    credential: str | None,
    peer_key: str | None,
    scope: str | None,
    profile: str | None,
    limit: int | None,
    as_of: Instant | None,
    known_at: Instant | None,
    filters: Mapping[str, Any] | None,
    embedding: Vector | None,
    identity: str | None,
) -> Search:
    """The calls of one search, with what is left of the deadline.

    What is left of the deadline bounds each statement from the first. With begin_search the server says what the search may
    take: it knows the profile's own deadline, of which what was spent before sending is taken off, and how much of a
    deadline the profile reserves for reranking.
    """
    spent_ms = int(clock.elapsed_ms)
    left_ms = clock.deadline_ms
    if left_ms is not None:
        if not isinstance(left_ms, int):
            raise ArgumentInvalid("deadline_ms is no whole number.", detail=f"deadline_ms is {left_ms!r}.")
        # One that never was any is left for the server to refuse.
        left_ms = max(1, left_ms - spent_ms) if left_ms > 0 else left_ms
    margin_ms = MARGIN_MS if left_ms is None else min(MARGIN_MS, max(0, left_ms // 5))
    params = {
        "query": clean_text("query", query),
        "embedding": embedding,
        "profile": clean_text("profile", profile),
        "limit": limit,
        "as_of": as_of,
        "filters": json_text("filters", filters),
        "identity": clean_text("identity", identity),
    }
    begin = begin_read(credential, peer_key, scope, known_at)
    time_left = {
        "profile": params["profile"],
        "deadline_ms": left_ms if left_ms is None else left_ms - margin_ms,
        "spent_ms": spent_ms + margin_ms,
    }
    calls = (
        Call(sql.SET_STATEMENT_TIMEOUT.format(ms=left_ms if left_ms is not None and left_ms > 0 else READ_BOUND_MS)),
        Call(sql.BEGIN_SEARCH, {**begin.params, **time_left}),
        Call(sql.SEARCH_REPORT, params),
    )
    return Search(calls, begin, clock, spent_ms, margin_ms)


@dataclass(frozen=True, slots=True)
class FanOut:
    """One read over several connections, step by step; ``serial`` is the same read on one.

    The first connection opens a snapshot and gets the plan; it and workers run a part each in that snapshot, and
    the first connection runs what is left and fuses. All of it is the server's: plan and parts are sealed.
    """

    serial: Search

    def open(self) -> tuple[Call, ...]:
        """First connection: posture, plan, and the snapshot for the others."""
        timeout, begin, ask = self.serial.calls
        return (
            Call(sql.BEGIN_SNAPSHOT),
            timeout,
            begin,
            Call(sql.PLAN_SEARCH, ask.params),
            Call(sql.EXPORT_SNAPSHOT),
        )

    def opened(self, answers: Sequence[Rows]) -> Opened:
        """What the first connection answered."""
        plan = answers[3][0][0]
        snapshot = str(answers[4][0][0])
        if not re.fullmatch("[0-9A-Fa-f-]+", snapshot):
            raise ConnectionFailed("The server exported a snapshot of no known form.", detail=snapshot)
        deadline_ms = self.serial.clock.deadline_ms
        if deadline_ms is None:
            deadline_ms = int(plan["deadline_ms"]) + self.serial.margin_ms + self.serial.spent_ms
        return Opened(
            plan["plan"],
            tuple(plan["parallel"]),
            snapshot,
            ReaderPosture.from_row(answers[2][0][:_DEADLINE]),
            deadline_ms,
            # Twice the margin: after the parts there is one more round trip to make, with strategies in it.
            deadline_ms - int(plan["reserved_rerank_ms"]) - 2 * self.serial.margin_ms,
        )

    def left_ms(self, opened: Opened) -> int:
        """What is left for the strategies."""
        return max(1, int(opened.strategies_until_ms - self.serial.clock.elapsed_ms))

    def own_part(self, opened: Opened) -> tuple[Call, ...]:
        """First connection: the strategy that is expected to take longest, under a savepoint, so that the snapshot outlives it.

        Its timeout, which may be a millisecond, is for the part and not for what surrounds it.
        """
        left_ms = self.left_ms(opened)
        surrounding = Call(sql.SET_TIMEOUT, {"timeout_ms": left_ms + FUSE_MS})
        return (
            surrounding,
            Call(sql.SAVEPOINT),
            Call(sql.SET_TIMEOUT, {"timeout_ms": left_ms}),
            Call(sql.RUN_SEARCH_PART, {"plan": opened.plan, "strategy": opened.parallel[0]}),
            surrounding,
            Call(sql.RELEASE),
        )

    def part(self, opened: Opened, strategy: str) -> tuple[Call, ...]:
        """Worker: one strategy, in the snapshot of the first connection and under the same posture."""
        return (
            Call(sql.BEGIN_SNAPSHOT),
            Call(sql.SET_SNAPSHOT.format(snapshot=opened.snapshot)),
            Call(sql.SET_TIMEOUT, {"timeout_ms": self.left_ms(opened)}),
            self.serial.begin,
            Call(sql.RUN_SEARCH_PART, {"plan": opened.plan, "strategy": strategy}),
            Call(sql.COMMIT),
        )

    @staticmethod
    def sealed_part(calls: Sequence[Call], rows: Sequence[Rows]) -> str:
        """The part among the rows of own_part or part."""
        return str(rows[[call.sql for call in calls].index(sql.RUN_SEARCH_PART)][0][0])

    def finish(self, opened: Opened, parts: Sequence[str]) -> tuple[Call, ...]:
        """First connection: the strategies that start from the parts, and the answer."""
        return (
            Call(sql.SET_TIMEOUT, {"timeout_ms": self.left_ms(opened) + FUSE_MS}),
            Call(sql.FINISH_SEARCH, {"plan": opened.plan, "parts": list(parts)}),
            Call(sql.COMMIT),
        )

    def result(self, opened: Opened, report: Mapping[str, Any], embedding_ms: float) -> SearchResult:
        """The answer out of the report."""
        return SearchResult.from_json(
            report,
            reader=opened.reader,
            deadline_ms=opened.deadline_ms,
            embedding_ms=embedding_ms,
            total_ms=self.serial.clock.elapsed_ms,
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """A fan-out that has begun: the sealed plan and what it is to be run with."""

    plan: str
    parallel: tuple[str, ...]
    snapshot: str
    reader: ReaderPosture
    deadline_ms: int
    strategies_until_ms: int


def list_knowledge(filters: Mapping[str, Any] | None, after: UUID | str | None, limit: int | None) -> Call:
    return Call(
        sql.LIST_KNOWLEDGE,
        {
            "filters": json_text("filters", filters),
            "after": None if after is None else as_uuid("after", after),
            "limit": limit,
        },
    )


def import_batch(lines: Sequence[Mapping[str, Any]]) -> Call:
    """Many observations and statements in one call, as the server's import_batch describes them."""
    return Call(sql.IMPORT_BATCH, {"lines": json.dumps(lines)})


def observe(
    content: str,
    *,
    scope: str,
    role: str = "user",
    peer_key: str | None = None,
    occurred_at: Instant | None = None,
    source_key: str | None = None,
    session_key: str | None = None,
    sensitivity: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Call:
    return Call(
        sql.OBSERVE,
        {
            "content": clean_text("content", content),
            "scope": clean_text("scope", scope),
            "role": clean_text("role", role),
            "peer_key": clean_text("peer_key", peer_key),
            "occurred_at": occurred_at,
            "source_key": clean_text("source_key", source_key),
            "session_key": clean_text("session_key", session_key),
            "sensitivity": clean_text("sensitivity", sensitivity),
            "metadata": json_text("metadata", metadata),
        },
    )


def remember(item: Statement, vector: Vector | str | None = None, identity: EmbeddingIdentity | None = None) -> Call:
    """Store a statement, with the embedder's vector when there is one; it may be given as text."""
    if vector is None:
        vector, key = as_vector(item.embedding), identity_key(item.identity)
    else:
        key = identity_key(identity)
    return Call(
        sql.REMEMBER,
        {
            "statement": clean_text("statement", item.statement),
            "scope": clean_text("scope", item.scope),
            "subject_peer": clean_text("subject_peer", item.subject_peer),
            "kind": clean_text("kind", item.kind),
            "sensitivity": clean_text("sensitivity", item.sensitivity),
            "target_level": clean_text("target_level", item.target_level),
            "confidence": item.confidence,
            "relevant_from": item.relevant_from,
            "relevant_until": item.relevant_until,
            "expires_at": item.expires_at,
            "sources": [as_uuid("sources", source) for source in item.sources],
            "embedding": vector,
            "identity": clean_text("identity", key),
            "metadata": json_text("metadata", item.metadata),
            "source_key": clean_text("source_key", item.source_key),
            "state": clean_text("state", item.state),
        },
    )


def statement(item: Statement | Mapping[str, Any]) -> Statement:
    """A statement, which may be given as a mapping of its fields."""
    if isinstance(item, Statement):
        return item
    try:
        return Statement(**item)
    except TypeError as error:
        raise ArgumentInvalid("This is no statement to remember.", detail=str(error)) from error


def relate(from_id: UUID | str, to_id: UUID | str, relation: str, confidence: float) -> Call:
    return Call(
        sql.RELATE,
        {
            "from_id": as_uuid("from_id", from_id),
            "to_id": as_uuid("to_id", to_id),
            "relation": clean_text("relation", relation),
            "confidence": confidence,
        },
    )


def transition(id: UUID | str, state: str, reason: str | None) -> Call:
    return Call(
        sql.TRANSITION,
        {
            "id": as_uuid("id", id),
            "state": clean_text("state", state),
            "reason": clean_text("reason", reason),
        },
    )


def erase(id: UUID | str, keep_sources: bool) -> Call:
    return Call(sql.ERASE, {"id": as_uuid("id", id), "keep_sources": keep_sources})


def propose_promotion(id: UUID | str, level: str) -> Call:
    return Call(sql.PROPOSE_PROMOTION, {"id": as_uuid("id", id), "level": clean_text("level", level)})


def consent(id: UUID | str) -> Call:
    return Call(sql.CONSENT, {"id": as_uuid("id", id)})


def decline(id: UUID | str, reason: str | None) -> Call:
    return Call(sql.DECLINE, {"id": as_uuid("id", id), "reason": clean_text("reason", reason)})


def promotions() -> Call:
    return Call(sql.PROMOTIONS)


def store_embedding(
    id: UUID | str, embedding: Iterable[float] | Vector, identity: EmbeddingIdentity | str | None
) -> Call:
    """Store a vector, which may be given as it is sent."""
    return Call(
        sql.STORE_EMBEDDING,
        {
            "id": as_uuid("id", id),
            "embedding": as_vector(embedding),
            "identity": clean_text("identity", identity_key(identity)),
        },
    )


def unembedded(identity: EmbeddingIdentity | str | None, limit: int, after: UUID | str | None) -> Call:
    return Call(
        sql.UNEMBEDDED,
        {
            "identity": clean_text("identity", identity_key(identity)),
            "limit": limit,
            "after": None if after is None else as_uuid("after", after),
        },
    )


def store_token_vectors(id: UUID | str, model: str, bits: bytes) -> Call:
    return Call(sql.STORE_TOKEN_VECTORS, {"id": as_uuid("id", id), "model": clean_text("model", model), "bits": bits})


def without_token_vectors(model: str, limit: int, after: UUID | str | None) -> Call:
    return Call(
        sql.WITHOUT_TOKEN_VECTORS,
        {
            "model": clean_text("model", model),
            "limit": limit,
            "after": None if after is None else as_uuid("after", after),
        },
    )


def rerank_vectors(ids: Sequence[UUID], model: str) -> Call:
    return Call(sql.RERANK_VECTORS, {"ids": list(ids), "model": model})


def embedding_identities() -> Call:
    return Call(sql.EMBEDDING_IDENTITIES)


def create_scope(account: str, scope: str, parent: str | None = None) -> Call:
    return Call(
        sql.CREATE_SCOPE,
        {
            "account": clean_text("account", account),
            "scope": clean_text("scope", scope),
            "parent": clean_text("parent", parent),
        },
    )


def _scope_link(query: str, account: str, from_scope: str, to_scope: str) -> Call:
    return Call(
        query,
        {
            "account": clean_text("account", account),
            "from_scope": clean_text("from_scope", from_scope),
            "to_scope": clean_text("to_scope", to_scope),
        },
    )


def link_scopes(account: str, from_scope: str, to_scope: str) -> Call:
    return _scope_link(sql.LINK_SCOPES, account, from_scope, to_scope)


def unlink_scopes(account: str, from_scope: str, to_scope: str) -> Call:
    return _scope_link(sql.UNLINK_SCOPES, account, from_scope, to_scope)


def create_peer(account: str, peer_key: str, display_name: str | None = None) -> Call:
    return Call(
        sql.CREATE_PEER,
        {
            "account": clean_text("account", account),
            "peer_key": clean_text("peer_key", peer_key),
            "display_name": clean_text("display_name", display_name),
        },
    )


def create_account(account: str) -> Call:
    return Call(sql.CREATE_ACCOUNT, {"account": clean_text("account", account), "settings": "{}"})


def create_credential(
    account: str,
    name: str,
    *,
    kind: str = "machine",
    peer_key: str | None = None,
    clearance: str = "internal",
    db_role: str | None = None,
    expires_at: Instant | None = None,
) -> Call:
    return Call(
        sql.CREATE_CREDENTIAL,
        {
            "account": clean_text("account", account),
            "name": clean_text("name", name),
            "kind": clean_text("kind", kind),
            "peer_key": clean_text("peer_key", peer_key),
            "clearance": clean_text("clearance", clearance),
            "db_role": clean_text("db_role", db_role),
            "expires_at": expires_at,
        },
    )


def revoke_credential(account: str, credential_name: str) -> Call:
    return Call(
        sql.REVOKE_CREDENTIAL,
        {
            "account": clean_text("account", account),
            "credential_name": clean_text("credential", credential_name),
        },
    )


def grant_scope(account: str, credential_name: str, scope: str, role: str = "reader", effect: str = "allow") -> Call:
    return Call(
        sql.GRANT_SCOPE,
        {
            "account": clean_text("account", account),
            "credential_name": clean_text("credential", credential_name),
            "scope": clean_text("scope", scope),
            "role": clean_text("role", role),
            "effect": clean_text("effect", effect),
        },
    )


def register_embedding_identity(identity: EmbeddingIdentity) -> Call:
    return Call(
        sql.REGISTER_EMBEDDING_IDENTITY,
        {
            "provider": clean_text("provider", identity.provider),
            "model": clean_text("model", identity.model),
            "version": clean_text("version", identity.version),
            "dimensions": identity.dimensions,
            "query_prefix": clean_text("query_prefix", identity.query_prefix),
        },
    )


def embedding_status(account: str | None) -> Call:
    return Call(sql.EMBEDDING_STATUS, {"account": clean_text("account", account)})


def switch_embedding_identity(account: str, identity: str, incomplete: bool) -> Call:
    return Call(
        sql.SWITCH_EMBEDDING_IDENTITY,
        {
            "account": clean_text("account", account),
            "identity": clean_text("identity", identity),
            "incomplete": incomplete,
        },
    )


def drop_embedding_identity(identity: str) -> Call:
    return Call(sql.DROP_EMBEDDING_IDENTITY, {"identity": clean_text("identity", identity)})


def created_at_ms(id: UUID) -> int:
    """The millisecond, since 1970, in which the server made this id: ids are version 7."""
    return id.int >> 80
