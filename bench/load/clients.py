"""The clients of a load, in processes of their own: they import this module."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import psycopg

from bench.synthetic import Corpus
from memhouse_thin import Client, MemhouseError

#: A deadline is kept when the answer is there this soon after it.
TOLERANCE_MS = 20


@dataclass
class Tally:
    """What some clients saw."""

    ms: list[float] = field(default_factory=list)
    late: int = 0
    dropped: int = 0
    errors: list[str] = field(default_factory=list)


Questions = Sequence[tuple[str, list[float]]]


def search(
    dsn: str,
    tokens: list[str],
    questions: Questions,
    clients: int,
    seconds: float,
    profile: str,
    deadline_ms: int,
    start: threading.Barrier,
    results: multiprocessing.Queue,
) -> None:
    """Some clients of one process, each searching without pause.

    Where that is allowed they go before the server, as they would on machines of their own: or they would wait for the
    cores that they keep busy, and the wait would count as the server's.
    """
    with suppress(PermissionError):
        os.nice(-10)
    tally, guard = Tally(), threading.Lock()

    def work(number: int) -> None:
        with Client(dsn, credential=tokens[number % len(tokens)], profile=profile) as memory:
            # The first search of a backend reads the catalogue and plans everything: it is not part of a load.
            memory.search(questions[0][0], embedding=questions[0][1], deadline_ms=60_000)
            ready.wait()
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                number += 1
                text, vector = questions[number % len(questions)]
                began = time.perf_counter()
                try:
                    result = memory.search(text, embedding=vector, deadline_ms=deadline_ms)
                    dropped, error = bool(result.strategies.dropped), None
                except MemhouseError as failed:
                    dropped, error = False, f"{type(failed).__name__}: {failed.message}"
                ms = (time.perf_counter() - began) * 1000
                with guard:
                    tally.ms.append(ms)
                    tally.late += ms > deadline_ms + TOLERANCE_MS
                    tally.dropped += dropped
                    if error:
                        tally.errors.append(error)

    ready = threading.Barrier(clients + 1)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    start.wait()
    ready.wait()
    for thread in threads:
        thread.join()
    results.put(tally)


def write(dsn: str, token: str, stop: threading.Event, written: list[int]) -> None:
    """One client that remembers, a statement a call; every fourth expires at once."""
    texts = iter(Corpus(3).statements(1_000_000))
    with Client(dsn, credential=token) as memory:
        for number, text in enumerate(texts):
            if stop.is_set():
                return
            expires = "2020-01-01T00:00:00Z" if number % 4 == 0 else None
            memory.remember(text, scope="all", sensitivity="public", expires_at=expires)
            written.append(1)
            time.sleep(0.02)


def sweep(dsn: str, stop: threading.Event) -> None:
    """What the job does, every second."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        while not stop.wait(1.0):
            conn.execute("select memhouse.sweep_expired()")
