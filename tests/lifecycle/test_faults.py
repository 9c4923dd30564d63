"""A server killed with SIGKILL in the middle of its work: what was acknowledged is there, and nothing is half done.

The environment variable MEMHOUSE_FAULT_LOOPS says how often each is killed; `make soak` does it 20 times.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from memhouse_thin.doctor import examine
from memhouse_thin.importer import import_file
from memhouse_thin.migrate import migrate
from support.crash import CrashServer, crash_server
from support.house import House, furnish
from support.roles import create_logins
from support.servers import Server

LOOPS = int(os.environ.get("MEMHOUSE_FAULT_LOOPS", "2"))
# Fixed, so that a failure can be run again; the instants of the kills vary all the same.
CHANCE = random.Random(1729)


@dataclass
class Site:
    server: CrashServer
    house: House


@pytest.fixture(scope="module")
def site(server: Server) -> Iterator[Site]:
    with crash_server(server.installation) as crashing:
        with psycopg.connect(crashing.dsn("postgres"), autocommit=True) as connection:
            connection.execute("create database memory")
        migrate(crashing.dsn("memory"))
        with psycopg.connect(crashing.dsn("postgres"), autocommit=True) as connection:
            create_logins(connection)
        house = furnish(crashing.dsn("memory"))
        house.credential("curator", ("acme", "curator"), peer_key="eli", clearance="restricted")
        yield Site(crashing, house)


def interrupted(server: CrashServer, work: Callable[[], None], seconds: float) -> bool:
    """Kills the server at some moment of the work, and starts it again; whether it was in time."""
    finished = threading.Event()

    def run() -> None:
        try:
            work()
            finished.set()
        except Exception:
            # The connection broke; what counts is what the work noted as acknowledged before.
            return

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(CHANCE.uniform(0.02, seconds))
    in_time = not finished.is_set()
    server.kill()
    thread.join(30)
    assert not thread.is_alive()
    server.start()
    return in_time


def healthy(dsn: str) -> None:
    failures = [check for check in examine(dsn) if check.status == "failure"]
    assert failures == []


def writing(house: House) -> psycopg.Connection:
    return psycopg.connect(house.as_user("app_writer"), autocommit=True)


def tally(what: str, killed: int, acknowledged: str) -> None:
    print(f"\nfaults: {what}: {LOOPS} kills, {killed} in the middle; {acknowledged}")


def test_import(site: Site, tmp_path: Path) -> None:
    house, killed, total = site.house, 0, 0
    batch, pairs = 20, 300
    for loop in range(LOOPS):
        path = tmp_path / f"{loop}.jsonl"
        with path.open("w") as file:
            for n in range(pairs):
                key = f"import-{loop}-{n}"
                observation = {"type": "observation", "source_key": key, "scope": "acme", "content": f"Said {n}."}
                knowledge = {
                    "type": "knowledge",
                    "source_key": key,
                    "scope": "acme",
                    "statement": f"S {n}.",
                    "sources": [key],
                }
                file.write(json.dumps(observation) + "\n" + json.dumps(knowledge) + "\n")
        acknowledged = 0

        def run(path: Path = path) -> None:
            nonlocal acknowledged
            try:
                import_file(house.as_user("app_writer"), path, credential=house.tokens["curator"], commit_every=batch)
                acknowledged = 2 * pairs
            except Exception as error:
                acknowledged = getattr(error, "stored", 0)
                raise

        killed += interrupted(site.server, run, 1.0)
        stored = """select (select count(*) from memhouse.observation where source_key like %s),
                           (select count(*) from memhouse.knowledge where source_key like %s),
                           (select count(*) from memhouse.knowledge_source join memhouse.knowledge using (account_id, knowledge_id)
                            where source_key like %s)"""
        of_loop = (f"import-{loop}-%",) * 3
        ((observations, statements, links),) = house.execute(stored, *of_loop)
        assert observations == statements == links
        assert 2 * statements >= acknowledged
        assert 2 * statements % batch == 0
        import_file(house.as_user("app_writer"), path, credential=house.tokens["curator"], commit_every=batch)
        assert house.execute(stored, *of_loop) == [(pairs, pairs, pairs)]
        total += acknowledged
        healthy(house.dsn)
    tally("import", killed, f"{total:,} lines acknowledged, none lost")


def test_sweep(site: Site) -> None:
    house, killed, total = site.house, 0, 0
    for _ in range(LOOPS):
        with writing(house) as conn, conn.transaction():
            conn.execute("select from memhouse.begin_write(%s)", (house.tokens["curator"],))
            conn.execute(
                """select count(memhouse.remember('acme', 'Due ' || n, p_expires_at => 'yesterday')) from generate_series(1, 2000) as n"""
            )
        before = house.execute("select count(*) from memhouse.lifecycle_change where to_state = 'expired'")[0][0]
        acknowledged = 0

        def run() -> None:
            nonlocal acknowledged
            with psycopg.connect(house.dsn, autocommit=True) as conn:
                while moved := conn.execute("select memhouse.sweep_expired(100)").fetchone()[0]:
                    acknowledged += moved

        killed += interrupted(site.server, run, 0.6)
        ((expired, closed, changes, logged),) = house.execute(
            """select count(*) filter (where lifecycle_state = 'expired'),
                      count(*) filter (where lifecycle_state = 'expired' and not active_during @> 'infinity'::timestamptz),
                      (select count(*) from memhouse.lifecycle_change where to_state = 'expired'),
                      (select coalesce(sum((detail ->> 'rows')::int), 0) from memhouse.audit_log
                       where action = 'transition' and detail ->> 'to' = 'expired')
               from memhouse.knowledge"""
        )
        assert expired == closed == changes == logged
        assert changes - before >= acknowledged
        assert changes % 100 == 0
        house.execute("select memhouse.sweep_expired()")
        assert house.execute("select count(*) from memhouse.lifecycle_change where to_state = 'expired'") == [
            (before + 2000,)
        ]
        total += acknowledged
        healthy(house.dsn)
    tally("sweep", killed, f"{total:,} rows acknowledged, none lost")


def test_embedding_again(site: Site) -> None:
    house, killed, total = site.house, 0, 0
    with writing(house) as conn, conn.transaction():
        conn.execute("select from memhouse.begin_write(%s)", (house.tokens["curator"],))
        ids = [
            row[0]
            for row in conn.execute(
                "select memhouse.remember('acme', 'Embedded ' || n, p_embedding => %s) from generate_series(1, 400) as n",
                (str([1] * 16),),
            )
        ]
    stored = "select knowledge_id, vec::text from memhouse.embedding where knowledge_id = any(%s)"
    for loop in range(LOOPS):
        new = [loop + 2] + [1] * 15
        old = dict(house.execute(stored, ids))
        acknowledged: list[object] = []

        def run(new: list[int] = new, acknowledged: list[object] = acknowledged) -> None:
            with writing(house) as conn:
                for start in range(0, len(ids), 10):
                    with conn.transaction():
                        conn.execute("select from memhouse.begin_write(%s)", (house.tokens["curator"],))
                        for id in ids[start : start + 10]:
                            conn.execute("select memhouse.store_embedding(%s, %s)", (id, str(new)))
                    acknowledged += ids[start : start + 10]

        killed += interrupted(site.server, run, 1.0)
        vectors = dict(house.execute(stored, ids))
        renewed = {id for id, vector in vectors.items() if vector != old[id]}
        assert len(vectors) == len(ids)
        assert renewed >= set(acknowledged)
        assert len(renewed) % 10 == 0
        total += len(acknowledged)
        healthy(house.dsn)
    tally("embedding again", killed, f"{total:,} vectors acknowledged, none lost")


def test_erase(site: Site) -> None:
    house, killed, total = site.house, 0, 0
    for loop in range(LOOPS):
        with writing(house) as conn, conn.transaction():
            conn.execute("select from memhouse.begin_write(%s)", (house.tokens["curator"],))
            made = conn.execute(
                """select memhouse.remember('acme', 'To be erased ' || n, p_embedding => %s,
                       p_sources => array[memhouse.observe('acme', 'Source ' || n, p_source_key => %s || n)])
                   from generate_series(1, 200) as n""",
                (str([1] * 16), f"erase-{loop}-"),
            )
            ids = [row[0] for row in made]
        acknowledged: list[object] = []

        def run(ids: list = ids, acknowledged: list[object] = acknowledged) -> None:
            with writing(house) as conn:
                for id in ids:
                    with conn.transaction():
                        conn.execute("select from memhouse.begin_write(%s)", (house.tokens["curator"],))
                        conn.execute("select memhouse.erase(%s)", (id,))
                    acknowledged.append(id)

        killed += interrupted(site.server, run, 1.0)
        parts = house.execute(
            """select id, exists (select from memhouse.knowledge where knowledge_id = id),
                      exists (select from memhouse.embedding where knowledge_id = id),
                      exists (select from memhouse.knowledge_source where knowledge_id = id),
                      not exists (select from memhouse.tombstone as t where t.id = i.id),
                      not exists (select from memhouse.audit_log where action = 'erase' and target_id = id)
               from unnest(%s::uuid[]) as i (id)""",
            ids,
        )
        assert all(len(set(states)) == 1 for _, *states in parts)
        erased = {id for id, *states in parts if not states[0]}
        assert erased >= set(acknowledged)
        ((sources,),) = house.execute(
            "select count(*) from memhouse.observation where source_key like %s", f"erase-{loop}-%"
        )
        assert sources == len(ids) - len(erased)
        total += len(acknowledged)
        healthy(house.dsn)
    tally("erase", killed, f"{total:,} erasures acknowledged, none lost")


def test_migrate(site: Site) -> None:
    killed = 0
    for loop in range(LOOPS):
        with psycopg.connect(site.server.dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"create database migrated_{loop}")
        dsn = site.server.dsn(f"migrated_{loop}")
        killed += interrupted(site.server, lambda dsn=dsn: migrate(dsn), 1.5)
        migrate(dsn)
        assert not migrate(dsn, check=True).drift
        healthy(dsn)
        furnish(dsn)
        with psycopg.connect(site.server.dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"drop database migrated_{loop} with (force)")
    healthy(site.house.dsn)
    tally("migrate", killed, "the next migrate finished each")
