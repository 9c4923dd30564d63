"""The synchronous client. ``aio`` holds the same, awaited; a test keeps the two alike."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Self
from uuid import UUID

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row
from psycopg_pool import ConnectionPool, PoolTimeout

from memhouse_thin import core, reranking
from memhouse_thin.core import Call, Embedder, Instant, Rows, Statement
from memhouse_thin.errors import ArgumentInvalid, DeadlineExceeded, MemhouseError
from memhouse_thin.reranking import Packer, Reranker
from memhouse_thin.results import (
    EmbeddingIdentity,
    Knowledge,
    Promotion,
    ReaderPosture,
    RegisteredIdentity,
    SearchResult,
)


class Client:
    """Governed memory in PostgreSQL, for one credential.

    ``target`` is a libpq connection string (``""`` for libpq's own variables), an open connection, or
    a ``psycopg_pool`` pool. With a connection string the client opens one connection at the first call
    and serves one call at a time; hand it a pool to serve many. A connection that is in a transaction,
    or not in autocommit mode, is joined: the client works inside a savepoint and the caller commits.

    ``credential`` is a token; without one the database role itself must be a credential. ``embedder``
    turns a text into a vector and names its space. ``profile`` and ``deadline_ms`` are defaults of
    ``search``. ``strict`` makes a failing embedder an error; otherwise a search goes on without its
    vector and reports ``semantic`` as dropped. ``cache`` holds query vectors and may be shared by clients.
    ``reranker`` takes a second look at the head of an answer where the profile wants one and the server has no
    models of its own: a callable of the question and some statements that gives their scores, or
    ``models.rerank.LocalRerankers()``; what became of it is in ``SearchResult.rerank``.
    ``fan_out`` with a pool: "parallel" runs each strategy on a connection of its own, all in one snapshot, and answers
    as "serial" does; when the pool cannot give the connections within ``fan_out_wait_ms``, the read goes serially.
    ``prepare_threshold`` is psycopg's, for a connection the client opens; None prepares nothing, which
    every transaction pooler can serve.
    """

    def __init__(
        self,
        target: str | psycopg.Connection[Any] | ConnectionPool[Any] = "",
        *,
        credential: str | None = None,
        embedder: Embedder | None = None,
        profile: str | None = None,
        deadline_ms: int | None = None,
        strict: bool = False,
        cache: core.QueryCache | None = None,
        reranker: Reranker | None = None,
        prepare_threshold: int | None = None,
        fan_out: Literal["serial", "parallel"] = "serial",
        fan_out_wait_ms: int = 10,
    ) -> None:
        self._dsn = target if isinstance(target, str) else None
        self._pool = target if isinstance(target, ConnectionPool) else None
        self._conn = target if isinstance(target, psycopg.Connection) else None
        if self._dsn is None and self._pool is None and self._conn is None:
            raise TypeError("target is a connection string, a psycopg Connection or a ConnectionPool")
        if fan_out not in ("serial", "parallel"):
            raise ArgumentInvalid("fan_out is serial or parallel.", detail=f"fan_out is {fan_out!r}.")
        if fan_out == "parallel" and self._pool is None:
            raise ArgumentInvalid(
                "A parallel fan-out needs a pool.", hint="Create the client with a psycopg_pool pool."
            )
        self._parallel = fan_out == "parallel"
        self._fan_out_wait_s = fan_out_wait_ms / 1000
        self._credential = credential
        self._embedder = embedder
        self._profile = profile
        self._deadline_ms = deadline_ms
        self._strict = strict
        self._cache = core.QueryCache() if cache is None else cache
        self._reranker = reranker
        self._prepare_threshold = prepare_threshold
        self._account: str | None = None
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, if the client opened it."""
        if self._dsn is not None and self._conn is not None:
            self._conn.close()

    # Reading -----------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        peer_key: str | None = None,
        scope: str | None = None,
        profile: str | None = None,
        limit: int | None = 12,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        filters: Mapping[str, Any] | None = None,
        deadline_ms: int | None = None,
        embedding: Sequence[float] | None = None,
        identity: EmbeddingIdentity | str | None = None,
    ) -> SearchResult:
        """What this reader's memory says about a question, in one round trip.

        The deadline counts from this call and covers the query's embedding; without one the profile's
        own holds. ``embedding`` replaces the embedder's vector for this query, ``identity`` names its
        space. Hits come in answer order.
        """
        clock = core.Clock(self._deadline_ms if deadline_ms is None else deadline_ms)
        core.clean_text("query", query)
        vector = core.as_vector(embedding)
        fresh = False
        if vector is None and self._embedder is not None and query and not query.isspace():
            vector = self._cache.get(self._account, self._embedder.identity, query)
            if vector is None:
                vector = self._embed(self._embedder.identity.query_prefix + query)
                fresh = vector is not None
        if identity is None and self._embedder is not None:
            identity = self._embedder.identity
        embedding_ms = clock.elapsed_ms if fresh else 0.0
        with self._borrow() as conn:
            plan = core.search(
                query,
                clock,
                credential=self._credential,
                peer_key=peer_key,
                scope=scope,
                profile=self._profile if profile is None else profile,
                limit=limit,
                as_of=as_of,
                known_at=known_at,
                filters=filters,
                embedding=vector,
                identity=None if vector is None else core.identity_key(identity),
            )
            result = None
            if self._parallel:
                result = self._fan_out(conn, core.FanOut(plan), embedding_ms)
            if result is None:
                result = self._ask(conn, plan, embedding_ms)
            stage = reranking.Stage.of(
                query, result, self._reranker, result.deadline_ms - clock.elapsed_ms, self._strict
            )
            if stage is not None:
                result = self._rerank(conn, stage, plan.begin, clock)
        self._account = result.reader.account_key
        if fresh and vector is not None and self._embedder is not None:
            self._cache.put(self._account, self._embedder.identity, query, vector)
        return result

    def list_knowledge(
        self,
        *,
        peer_key: str | None = None,
        scope: str | None = None,
        known_at: Instant | None = None,
        filters: Mapping[str, Any] | None = None,
        after: UUID | str | None = None,
        limit: int | None = 50,
    ) -> list[Knowledge]:
        """What this reader may see, newest first; the next page comes ``after`` the last id of this one."""
        rows = self._call(
            core.begin_read(self._credential, peer_key, scope, known_at), core.list_knowledge(filters, after, limit)
        )
        return [Knowledge.from_row(row) for row in rows]

    def posture(
        self,
        *,
        peer_key: str | None = None,
        scope: str | None = None,
        known_at: Instant | None = None,
    ) -> ReaderPosture:
        """For whom a read with these arguments would be done, and how far it would see."""
        rows = self._call(core.begin_read(self._credential, peer_key, scope, known_at))
        return ReaderPosture.from_row(rows[0])

    def embedding_identities(self) -> list[RegisteredIdentity]:
        """The vector spaces that the server knows."""
        rows = self._call(core.begin_read(self._credential), core.embedding_identities())
        return [RegisteredIdentity.from_row(row) for row in rows]

    def promotions(self) -> list[Promotion]:
        """What the credential's own peer may consent to or has decided on, and what it proposed itself; newest first."""
        rows = self._call(core.begin_read(self._credential), core.promotions())
        return [Promotion.from_row(row) for row in rows]

    # Writing -----------------------------------------------------------------------------------

    def remember(
        self,
        statement: str,
        *,
        scope: str,
        subject_peer: str | None = None,
        kind: str = "fact",
        sensitivity: str = "internal",
        target_level: str | None = None,
        confidence: float = 1.0,
        relevant_from: Instant | None = None,
        relevant_until: Instant | None = None,
        expires_at: Instant | None = None,
        sources: Sequence[UUID | str] = (),
        embedding: Sequence[float] | None = None,
        identity: EmbeddingIdentity | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        source_key: str | None = None,
        state: str = "active",
    ) -> UUID:
        """Store one statement; without a subject it is about the scope.

        The same ``source_key`` returns the first id and changes nothing. The embedder's vector goes in
        with it, unless ``embedding`` is given.
        """
        ids = self.remember_many(
            [
                Statement(
                    statement=statement,
                    scope=scope,
                    subject_peer=subject_peer,
                    kind=kind,
                    sensitivity=sensitivity,
                    target_level=target_level,
                    confidence=confidence,
                    relevant_from=relevant_from,
                    relevant_until=relevant_until,
                    expires_at=expires_at,
                    sources=sources,
                    embedding=embedding,
                    identity=identity,
                    metadata=metadata,
                    source_key=source_key,
                    state=state,
                )
            ]
        )
        return ids[0]

    def remember_many(self, statements: Iterable[Statement | Mapping[str, Any]]) -> list[UUID]:
        """Store many statements in one transaction and one pipeline: all of them or none.

        Each is a ``Statement`` or a mapping of its fields. An error's ``position`` says which one failed.
        """
        calls = []
        for position, item in enumerate(statements):
            with core.at_position(position):
                item = core.statement(item)
                if item.embedding is None and self._embedder is not None:
                    core.clean_text("statement", item.statement)
                    vector = self._embed(item.statement)
                    calls.append(core.remember(item, vector, self._embedder.identity))
                else:
                    calls.append(core.remember(item))
        answers = self._write(calls)
        return [rows[0][0] for rows in answers]

    def observe(
        self,
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
    ) -> UUID:
        """Store one immutable source: a message, a document chunk.

        The same ``source_key`` returns the first id and changes nothing.
        """
        call = core.observe(
            content,
            scope=scope,
            role=role,
            peer_key=peer_key,
            occurred_at=occurred_at,
            source_key=source_key,
            session_key=session_key,
            sensitivity=sensitivity,
            metadata=metadata,
        )
        answers = self._write([call])
        id: UUID = answers[0][0][0]
        return id

    def relate(self, from_id: UUID | str, to_id: UUID | str, relation: str, *, confidence: float = 1.0) -> None:
        """Draw a typed edge: contradicts, derived_from, supersedes, supports or caused_by."""
        self._write([core.relate(from_id, to_id, relation, confidence)])

    def transition(self, id: UUID | str, state: str, *, reason: str | None = None) -> str:
        """Move a statement along its lifecycle and return its new state."""
        answers = self._write([core.transition(id, state, reason)])
        new_state: str = answers[0][0][0]
        return new_state

    def erase(self, id: UUID | str, *, keep_sources: bool = False) -> None:
        """Erase a statement for good, with everything derived from it and what it alone rests on."""
        self._write([core.erase(id, keep_sources)])

    def propose_promotion(self, id: UUID | str, level: str) -> str:
        """Propose to raise an active statement to the level scope or account.

        Returns "proposed" when it waits for the consent of the peer it is about, and "promoted" when it is about the
        scope and there is nobody to ask. Raises ``NotFound`` when this writer sees no such statement, ``WriteNotPermitted``
        without the role of member, ``AlreadyExists`` while a promotion to another level waits, ``TransitionInvalid`` when
        the statement is not active.
        """
        answers = self._write([core.propose_promotion(id, level)])
        state: str = answers[0][0][0]
        return state

    def consent(self, id: UUID | str) -> str:
        """Consent to the promotion that waits for a statement about the credential's own peer; returns its new level.

        Raises ``ConsentRequired`` when the statement is about another, ``TransitionInvalid`` when no promotion waits.
        """
        answers = self._write([core.consent(id)])
        level: str = answers[0][0][0]
        return level

    def decline(self, id: UUID | str, *, reason: str | None = None) -> str:
        """Decline the promotion that waits for a statement about the credential's own peer, and return "declined".

        When none waits, the consent given before is taken back, the statement returns to peer level, and "withdrawn" is
        returned. Raises ``ConsentRequired`` when the statement is about another, ``TransitionInvalid`` when there is
        nothing to decline.
        """
        answers = self._write([core.decline(id, reason)])
        state: str = answers[0][0][0]
        return state

    def store_embedding(
        self,
        id: UUID | str,
        embedding: Sequence[float],
        *,
        identity: EmbeddingIdentity | str | None = None,
    ) -> None:
        """Store the vector of a statement; the identity is the embedder's, or else the server's default."""
        self._write([core.store_embedding(id, embedding, self._identity(identity))])

    def unembedded(
        self,
        *,
        identity: EmbeddingIdentity | str | None = None,
        limit: int = 100,
        after: UUID | str | None = None,
    ) -> list[tuple[UUID, str]]:
        """Statements without a vector of this identity, as (id, text), by id after ``after``."""
        answers = self._write([core.unembedded(self._identity(identity), limit, after)])
        return [(row[0], row[1]) for row in answers[0]]

    def embed_missing(
        self, *, account: str | None = None, batch: int = 100, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Give every statement that this writer can read and write a vector, and say how many got one.

        A text that the embedder fails on is left without, unless ``strict``. Stopped and called again, it goes
        on where it was. ``progress`` is told after each batch how many got one, and how many failed.
        ``account``: every statement of that account, as server-side work; for members of memhouse_internal.
        """
        if self._embedder is None:
            raise core.no_embedder()
        stored, failed, after = 0, 0, None
        while page := (self._write([core.unembedded(self._embedder.identity, batch, after)], account))[0]:
            vectors = self._embed_many([text for _, text in page])
            calls = [
                core.store_embedding(id, vector, self._embedder.identity)
                for (id, _), vector in zip(page, vectors, strict=True)
                if vector is not None
            ]
            self._write(calls, account)
            stored, failed, after = stored + len(calls), failed + len(page) - len(calls), page[-1][0]
            if progress is not None:
                progress(stored, failed)
        return stored

    def pack_missing(
        self,
        late: Packer,
        *,
        account: str | None = None,
        batch: int = 100,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Give every statement that this writer can read and write token vectors, and say how many got some.

        ``late`` makes them: ``models.rerank.LateInteraction``. Otherwise as ``embed_missing``.
        """
        stored, failed, after = 0, 0, None
        while page := (self._write([core.without_token_vectors(late.name, batch, after)], account))[0]:
            calls = []
            for id, text in page:
                try:
                    calls.append(core.store_token_vectors(id, late.name, late.pack(text)))
                except Exception as error:
                    core.embedder_failed(error, self._strict)
            self._write(calls, account)
            stored, failed, after = stored + len(calls), failed + len(page) - len(calls), page[-1][0]
            if progress is not None:
                progress(stored, failed)
        return stored

    # The round trip ----------------------------------------------------------------------------

    def _rerank(
        self, conn: psycopg.Connection[Any], stage: reranking.Stage, begin: Call, clock: core.Clock
    ) -> SearchResult:
        """The answer reranked, with the token vectors that are stored of its head."""
        scorer = stage.scorer()
        bits: dict[UUID, bytes] = {}
        if model := stage.stored_model(scorer):
            try:
                calls = (core.timeout(stage.left_ms), begin, core.rerank_vectors(stage.ids, model))
                bits = {row[0]: row[1] for row in (self._send(conn, calls, read=True))[-1]}
            except MemhouseError as error:
                # They only save time: a statement without is encoded on the way.
                core.log_failure(error)
        result = stage.finish(scorer, bits)
        return replace(result, total_ms=clock.elapsed_ms)

    def _identity(self, identity: EmbeddingIdentity | str | None) -> EmbeddingIdentity | str | None:
        """The identity asked for, or the embedder's."""
        if identity is None and self._embedder is not None:
            return self._embedder.identity
        return identity

    def _embed_many(self, texts: Sequence[str]) -> list[core.Vector | None]:
        """The vectors of several texts: at once, where the embedder can, and else one by one."""
        many = getattr(self._embedder, "many", None)
        if many is not None:
            try:
                return [core.as_vector(vector) for vector in many(texts)]
            except Exception as error:
                # One of them may be to blame: each for itself.
                core.embedder_failed(error, strict=False)
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> core.Vector | None:
        """The embedder's vector; None when it failed and that is allowed."""
        assert self._embedder is not None
        try:
            return core.as_vector(self._embedder(text))
        except Exception as error:
            core.embedder_failed(error, self._strict)
            return None

    def _call(self, *calls: Call) -> Rows:
        """The rows of the last of some reading calls."""
        with self._borrow() as conn:
            answers = self._send(conn, calls, read=True)
        return answers[-1]

    def _write(self, calls: Sequence[Call], account: str | None = None) -> list[Rows]:
        """The rows of each of some writing calls, in one transaction."""
        if not calls:
            return []
        begin = core.begin_write(self._credential) if account is None else core.begin_internal(account)
        with self._borrow() as conn:
            answers = self._send(conn, [begin, *calls], read=False)
        return answers[1:]

    @contextmanager
    def _borrow(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection for one exchange; nobody else uses it meanwhile."""
        if self._pool is not None:
            try:
                conn = self._pool.getconn()
            except Exception as error:
                raise core.failure(error) from error
            autocommit = conn.autocommit
            try:
                # The client brackets its own transaction, so that it fits in one round trip.
                conn.autocommit = True
                yield conn
            finally:
                if not conn.closed:
                    conn.autocommit = autocommit
                self._pool.putconn(conn)
            return
        with self._lock:
            if self._dsn is not None and (self._conn is None or self._conn.closed):
                try:
                    self._conn = psycopg.connect(
                        self._dsn,
                        autocommit=True,
                        prepare_threshold=self._prepare_threshold,
                        **core.connection_defaults(self._dsn),
                    )
                except Exception as error:
                    raise core.failure(error) from error
            assert self._conn is not None
            yield self._conn

    def _ask(self, conn: psycopg.Connection[Any], plan: core.Search, embedding_ms: float) -> SearchResult:
        """The read on one connection."""
        answers: list[Rows] = []
        try:
            self._send(conn, plan.calls, read=True, deadline_passed=plan.deadline_passed, answers=answers)
        except DeadlineExceeded:
            late = plan.late(answers)
            if late is None or conn.closed:
                raise
            plan, answers = late, []
            self._send(conn, plan.calls, read=True, deadline_passed=plan.deadline_passed, answers=answers)
        return plan.result(answers, embedding_ms)

    def _fan_out(self, conn: psycopg.Connection[Any], fan: core.FanOut, embedding_ms: float) -> SearchResult | None:
        """The read over several connections; None when it has to go serially after all."""
        rows: list[Rows] = []
        workers: list[psycopg.Connection[Any]] = []
        try:
            exchange(conn, fan.open(), rows)
            opened = fan.opened(rows)
            # One strategy alone gains nothing from a second connection.
            if len(opened.parallel) < 2 or not self._hire(workers, len(opened.parallel) - 1):
                conn.rollback()
                return None
            parts = self._run_parts(conn, workers, fan, opened)
            rows.clear()
            exchange(conn, fan.finish(opened, parts), rows)
            return fan.result(opened, rows[1][0][0], embedding_ms)
        except BaseException as error:
            self._undo(conn, False)
            if not isinstance(error, Exception):
                raise
            raise core.failure(error, deadline_passed=fan.serial.deadline_passed(())) from error
        finally:
            for worker in workers:
                self._dismiss(worker)

    def _hire(self, workers: list[psycopg.Connection[Any]], wanted: int) -> bool:
        """Take connections for the parts, as many as wanted, or say that there are not enough in time."""
        assert self._pool is not None
        until = time.monotonic() + self._fan_out_wait_s
        try:
            while len(workers) < wanted:
                workers.append(self._pool.getconn(timeout=max(0.001, until - time.monotonic())))
        except PoolTimeout:
            return False
        return True

    def _dismiss(self, worker: psycopg.Connection[Any]) -> None:
        """Give a connection back; one that is still at work is closed, which ends its work."""
        assert self._pool is not None
        if worker.info.transaction_status == TransactionStatus.ACTIVE:
            worker.close()
        self._pool.putconn(worker)

    def _run_parts(
        self,
        conn: psycopg.Connection[Any],
        workers: list[psycopg.Connection[Any]],
        fan: core.FanOut,
        opened: core.Opened,
    ) -> list[str]:
        """The sealed parts that came in time, each from a connection of its own; empties ``workers``, who give theirs back."""
        tasks = [
            threads().submit(self._run_part, worker, fan.part(opened, strategy))
            for worker, strategy in zip(workers, opened.parallel[1:], strict=True)
        ]
        workers.clear()
        parts = [self._run_own_part(conn, fan.own_part(opened))]
        # A part that is late by more than the server's own timeout is not waited for.
        done, _ = futures.wait(tasks, timeout=(fan.left_ms(opened) + core.MARGIN_MS) / 1000)
        parts += [task.result() for task in tasks if task in done]
        return [part for part in parts if part is not None]

    def _run_own_part(self, conn: psycopg.Connection[Any], calls: Sequence[Call]) -> str | None:
        """The part of the first connection, or None when it was cut off by the deadline."""
        rows: list[Rows] = []
        try:
            exchange(conn, calls, rows)
            return core.FanOut.sealed_part(calls, rows)
        except psycopg.errors.QueryCanceled:
            self._undo(conn, True)
            return None

    def _run_part(self, worker: psycopg.Connection[Any], calls: Sequence[Call]) -> str | None:
        """One part, or None when it was cut off by the deadline; gives the connection back."""
        rows: list[Rows] = []
        try:
            worker.autocommit = True
            exchange(worker, calls, rows)
            return core.FanOut.sealed_part(calls, rows)
        except psycopg.errors.QueryCanceled:
            self._undo(worker, False)
            return None
        except BaseException:
            self._undo(worker, False)
            raise
        finally:
            self._dismiss(worker)

    def _send(
        self,
        conn: psycopg.Connection[Any],
        calls: Sequence[Call],
        *,
        read: bool,
        deadline_passed: Callable[[Sequence[Rows]], bool] = core.no_deadline,
        answers: list[Rows] | None = None,
    ) -> list[Rows]:
        """The rows of each call, all of them sent in one pipelined round trip and one transaction.

        ``answers`` is where to put them, those before an error too.
        """
        answers = [] if answers is None else answers
        joined = not conn.autocommit or conn.info.transaction_status != TransactionStatus.IDLE
        before, after = core.brackets(joined, read)
        rows: list[Rows] = []
        try:
            exchange(conn, (*before, *calls, *after), rows)
            answers.extend(rows[len(before) : -len(after)])
            return answers
        except BaseException as error:
            self._undo(conn, joined)
            if not isinstance(error, Exception):
                raise
            answers.extend(rows[len(before) :])
            # The first of the writing calls begins the posture; the batch starts after it.
            position = len(answers) - 1 if answers and not read else None
            raise core.failure(error, deadline_passed=deadline_passed(answers), position=position) from error

    def _undo(self, conn: psycopg.Connection[Any], joined: bool) -> None:
        """Put the connection back to where it was, or close it if it is ours and that fails."""
        try:
            if joined:
                for call in core.UNDO_JOINED:
                    psycopg.Cursor(conn).execute(call.sql, prepare=False)
            else:
                conn.rollback()
        except psycopg.Error:
            if not joined:
                conn.close()


def exchange(conn: psycopg.Connection[Any], calls: Sequence[Call], rows: list[Rows]) -> None:
    """Send calls in one pipeline and add the rows of each to ``rows``, up to the first that fails."""
    core.send_vectors(conn)
    cursors = [psycopg.Cursor(conn, row_factory=tuple_row) for _ in calls]
    failed: Exception | None = None
    try:
        with conn.pipeline():
            try:
                for cursor, call in zip(cursors, calls, strict=True):
                    # psycopg takes what was skipped after an error for prepared: a rollback must not be among that.
                    cursor.execute(call.sql, call.params or None, prepare=None if call.params else False)
            except Exception as error:
                # Held back, or leaving the pipeline would log the error that follows from this one.
                failed = error
    except psycopg.Error as error:
        failed = failed or error
    for cursor in cursors[: core.answered(cursors)]:
        # Its description would say the same, and be built of every column first.
        rows.append([] if cursor.rownumber is None else cursor.fetchall())
    if failed is not None:
        raise failed


@functools.cache
def threads() -> futures.ThreadPoolExecutor:
    """The threads of all parallel reads of this process; they wait on sockets, so there may be many."""
    return futures.ThreadPoolExecutor(max_workers=64, thread_name_prefix="memhouse-part")
