"""Two credentials that store one source key at the same time: it is stored once, where the second may know of the first."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from support.house import House

WRITERS = {
    # name: peer, role, clearance
    "ann": ("dana", "member", "personal"),
    "ben": ("eli", "member", "personal"),
    "cut": ("eli", "member", "internal"),
    "boss": (None, "curator", "internal"),
}

LINES: dict[str, dict[str, Any]] = {
    "public": {"type": "knowledge", "statement": "Open.", "sensitivity": "public"},
    "shared": {"type": "knowledge", "statement": "Known.", "sensitivity": "internal"},
    "personal": {"type": "knowledge", "statement": "Close.", "sensitivity": "personal", "subject_peer": "dana"},
    "proposed": {"type": "knowledge", "statement": "Perhaps.", "sensitivity": "public", "state": "proposed"},
    "over": {"type": "knowledge", "statement": "Over.", "sensitivity": "public", "expires_at": "2020-01-01T00:00:00Z"},
    "said": {"type": "observation", "content": "Said.", "sensitivity": "internal"},
    "whispered": {"type": "observation", "content": "Whispered.", "sensitivity": "personal", "peer_key": "dana"},
}


class Writer:
    """A connection in a write posture, its transaction open until it is ended."""

    def __init__(self, house: House, name: str) -> None:
        self.conn = psycopg.connect(house.as_user("app_writer"))
        self.pid = self.conn.info.backend_pid
        self.conn.execute("set statement_timeout = '20 s'")
        self.conn.commit()
        self.token = house.tokens[name]

    def begin(self) -> Writer:
        self.conn.execute("select from memhouse.begin_write(%s::text)", (self.token,))
        return self

    def alone(self, line: dict[str, Any]) -> UUID:
        """Stored by observe or remember."""
        given = {"scope": "acme", **line}
        function = {"observation": "observe", "knowledge": "remember"}[given.pop("type")]
        named = ", ".join(f"p_{name} => %({name})s" for name in given)
        return self.conn.execute(f"select memhouse.{function}({named})", given).fetchone()[0]

    def batch(self, *lines: dict[str, Any]) -> list[UUID]:
        given = json.dumps([{"scope": "acme", **line} for line in lines])
        return self.conn.execute("select memhouse.import_batch(%s)", (given,)).fetchone()[0]

    def one_of_a_batch(self, line: dict[str, Any]) -> UUID:
        return self.batch(line)[0]


@pytest.fixture
def writer(house: House) -> Iterator[Callable[[str], Writer]]:
    for name, (peer, role, clearance) in WRITERS.items():
        if name not in house.tokens:
            house.credential(name, ("acme", role), peer_key=peer, clearance=clearance)
    made: list[Writer] = []

    def begun(name: str) -> Writer:
        made.append(Writer(house, name))
        return made[-1].begin()

    yield begun
    for each in made:
        each.conn.close()


class Meanwhile:
    """Something done by another thread, which may have to wait for a transaction of this one."""

    def __init__(self, house: House, pid: int, do: Callable[[], Any]) -> None:
        self._house, self._pid = house, pid
        self._result: Any = None
        self._thread = threading.Thread(target=self._run, args=(do,))
        self._thread.start()

    def _run(self, do: Callable[[], Any]) -> None:
        try:
            self._result = do()
        except Exception as error:
            self._result = error

    def waits_for(self, pid: int) -> bool:
        """Whether it comes to wait for that backend; False once it is done."""
        while self._thread.is_alive():
            if self._house.execute("select %s = any (pg_blocking_pids(%s))", pid, self._pid) == [(True,)]:
                return True
            time.sleep(0.01)
        return False

    def result(self) -> Any:
        self._thread.join(30)
        assert not self._thread.is_alive()
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


def keyed(name: str, key: str) -> dict[str, Any]:
    return {**LINES[name], "source_key": key}


def holding(house: House, key: str) -> int:
    return house.execute(
        """select (select count(*) from memhouse.knowledge where source_key = %s)
                + (select count(*) from memhouse.observation where source_key = %s)""",
        key,
        key,
    )[0][0]


WAYS = [(Writer.alone, Writer.alone), (Writer.alone, Writer.one_of_a_batch), (Writer.one_of_a_batch, Writer.alone),
        (Writer.one_of_a_batch, Writer.one_of_a_batch)]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), WAYS, ids=["calls", "batch after call", "call after batch", "batches"])
@pytest.mark.parametrize("line", ["public", "shared", "said"])
def test_the_second_gets_what_the_first_stored(
    house: House, writer: Callable[[str], Writer], first: Any, second: Any, line: str, request: pytest.FixtureRequest
) -> None:
    key = request.node.name
    ann, ben = writer("ann"), writer("ben")
    stored = first(ann, keyed(line, key))
    other = Meanwhile(house, ben.pid, lambda: second(ben, keyed(line, key)))
    assert other.waits_for(ann.pid)
    ann.conn.commit()
    assert other.result() == stored
    ben.conn.commit()
    assert holding(house, key) == 1


def test_what_was_not_stored_after_all_is_stored_by_the_second(house: House, writer: Callable[[str], Writer]) -> None:
    ann, ben = writer("ann"), writer("ben")
    given_up = ann.alone(keyed("shared", "rolled back"))
    other = Meanwhile(house, ben.pid, lambda: ben.alone(keyed("shared", "rolled back")))
    assert other.waits_for(ann.pid)
    ann.conn.rollback()
    assert other.result() != given_up
    ben.conn.commit()
    assert holding(house, "rolled back") == 1


@pytest.mark.parametrize("second", [Writer.alone, Writer.one_of_a_batch], ids=["call", "batch"])
@pytest.mark.parametrize(
    ("first", "theirs", "who", "mine"),
    [
        # Hidden from ben and cut, whatever they try to store under the same key.
        ("ann", "personal", "ben", "personal"),
        ("ann", "personal", "ben", "shared"),
        ("ann", "whispered", "ben", "whispered"),
        ("ann", "whispered", "cut", "said"),
        ("ann", "proposed", "ben", "proposed"),
        ("ann", "over", "ben", "over"),
        ("ann", "over", "ben", "public"),
        ("cut", "personal", "ben", "personal"),
    ],
)
def test_nobody_waits_for_what_is_hidden(
    house: House, writer: Callable[[str], Writer], first: str, theirs: str, who: str, mine: str, second: Any,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    key = request.node.name
    one, other = writer(first), writer(who)
    stored = one.alone(keyed(theirs, key))
    meanwhile = Meanwhile(house, other.pid, lambda: second(other, keyed(mine, key)))
    assert not meanwhile.waits_for(one.pid)
    assert meanwhile.result() != stored
    other.conn.commit()
    one.conn.commit()
    assert holding(house, key) == 2


def test_a_curator_waits_for_what_it_may_know_of(house: House, writer: Callable[[str], Writer]) -> None:
    ann, boss = writer("ann"), writer("boss")
    stored = ann.alone(keyed("personal", "curated"))
    other = Meanwhile(house, boss.pid, lambda: boss.alone(keyed("personal", "curated")))
    assert other.waits_for(ann.pid)
    ann.conn.commit()
    assert other.result() == stored
    boss.conn.rollback()


def test_other_keys_and_other_kinds_do_not_wait(house: House, writer: Callable[[str], Writer]) -> None:
    ann, ben = writer("ann"), writer("ben")
    ann.batch(*(keyed("shared", f"mine {n}") for n in range(100)))
    for line in (keyed("shared", "yours"), keyed("said", "mine 1")):
        assert not Meanwhile(house, ben.pid, lambda line=line: ben.alone(line)).waits_for(ann.pid)
    ben.conn.commit()
    ann.conn.commit()


def test_batches_in_opposite_order_do_not_wait_for_each_other(house: House, writer: Callable[[str], Writer]) -> None:
    lines = [keyed("shared", f"crossed {n}") for n in range(2000)]
    backwards = lines[::-1]
    ann, ben = writer("ann"), writer("ben")
    answers = {}
    start = threading.Barrier(2)

    def store(name: str, who: Writer, given: list[dict[str, Any]]) -> None:
        start.wait()
        answers[name] = who.batch(*given)
        who.conn.commit()

    threads = [
        threading.Thread(target=store, args=arguments) for arguments in (("a", ann, lines), ("b", ben, backwards))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers["a"] == answers["b"][::-1]
    assert house.execute("select count(*) from memhouse.knowledge where source_key like 'crossed %%'") == [(2000,)]


def test_a_large_import_holds_few_locks_and_leaves_no_claim(house: House, writer: Callable[[str], Writer]) -> None:
    ann = writer("ann")
    for start in range(0, 10_000, 500):
        ann.batch(*(keyed("said", f"large {n}") for n in range(start, start + 500)))
    assert house.execute("select count(*) from pg_locks where pid = %s", ann.pid)[0][0] < 100
    ann.conn.commit()
    assert house.execute("select count(*) from memhouse.source_key_claim") == [(0,)]


def test_a_snapshot_older_than_the_wait_finds_nothing(house: House, writer: Callable[[str], Writer]) -> None:
    """As the comment says of repeatable read: the wait helps a transaction that looks again, and no other."""
    ann = writer("ann")
    ben = Writer(house, "ben")
    ben.conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    ben.begin()
    stored = ann.alone(keyed("shared", "old snapshot"))
    other = Meanwhile(house, ben.pid, lambda: ben.alone(keyed("shared", "old snapshot")))
    assert other.waits_for(ann.pid)
    ann.conn.commit()
    assert other.result() != stored
    ben.conn.rollback()
    ben.conn.close()
