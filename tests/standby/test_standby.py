"""A physical standby: every read works there, nothing is written, and it outlives its primary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from memhouse_thin import Client, MemhouseError
from memhouse_thin.migrate import migrate
from support.crash import CrashServer, crash_server
from support.house import House, WordEmbedder, furnish
from support.roles import create_logins
from support.servers import Server

DATABASE = "memory"
QUESTION = "where does billing run in Lisbon?"


@dataclass
class Pair:
    """A primary with an account, its standby, and the account as seen on each."""

    primary: CrashServer
    standby: CrashServer
    house: House
    replica: House

    def caught_up(self) -> float:
        """Wait until the standby has replayed what the primary has written; seconds that took."""
        started = time.monotonic()
        ((written,),) = self.house.execute("select pg_current_wal_lsn()::text")
        while self.replica.execute("select pg_last_wal_replay_lsn() >= %s::pg_lsn", written) != [(True,)]:
            assert time.monotonic() < started + 60
            time.sleep(0.01)
        return time.monotonic() - started


@pytest.fixture(scope="module")
def pair(server: Server) -> Iterator[Pair]:
    with crash_server(server.installation) as primary:
        with psycopg.connect(primary.dsn("postgres"), autocommit=True) as conn:
            conn.execute(f"create database {DATABASE}")
            migrate(primary.dsn(DATABASE))
            create_logins(conn)
        house = furnish(primary.dsn(DATABASE))
        with house.client(embedder=WordEmbedder()) as memory:
            first = memory.remember("The billing job runs in Lisbon.", scope="acme/billing", source_key="k-1")
            second = memory.remember("Lisbon Ledger belongs to Dana.", scope="acme/billing")
            memory.relate(second, first, "supports")
            memory.observe("I said so.", scope="acme", peer_key="dana")
        house.execute("select memhouse.begin_internal('acme'), memhouse.rebuild_entities()")
        with crash_server(server.installation, primary) as standby:
            yield Pair(primary, standby, house, House(standby.dsn(DATABASE), house.tokens))


def answer(client: Client, **named: object) -> list[tuple[str, float]]:
    """What a client finds, with the scores; of the age, which differs from call to call, six digits are left."""
    return [(hit.statement, round(hit.score, 6)) for hit in client.search(QUESTION, peer_key="dana", **named)]


@pytest.mark.parametrize("profile", ["fast", "balanced", "thorough"])
def test_a_search_answers_as_on_the_primary(pair: Pair, profile: str) -> None:
    pair.caught_up()
    with (
        pair.house.client(embedder=WordEmbedder(), profile=profile) as here,
        pair.replica.client(embedder=WordEmbedder(), profile=profile) as there,
    ):
        found = answer(there)
        assert found == answer(here)
        assert len(found) == 2
        assert not there.search(QUESTION).strategies.dropped


def test_a_parallel_search_works(pair: Pair) -> None:
    with ConnectionPool(
        pair.replica.as_user("app_reader"), min_size=4, max_size=4, kwargs={"autocommit": True}
    ) as pool:
        pool.wait()
        wide = Client(pool, credential=pair.replica.tokens["bot"], fan_out="parallel", fan_out_wait_ms=5000)
        with pair.replica.client() as serial:
            assert answer(wide, deadline_ms=30_000) == answer(serial)


READS = [
    "select * from memhouse.search('Lisbon')",
    "select memhouse.search_report('Lisbon')",
    "select memhouse.explain_search('Lisbon')",
    "select memhouse.finish_search(p.plan ->> 'plan', array[memhouse.run_search_part(p.plan ->> 'plan', 'lexical')])"
    " from (select memhouse.plan_search('Lisbon') as plan) as p",
    "select * from memhouse.list_knowledge()",
    "select * from memhouse.current_reader()",
    "select * from memhouse.embedding_identities()",
    "select * from memhouse.profiles()",
    "select * from memhouse.error_catalog()",
    "select memhouse.analyze_query('Lisbon')",
]
SELECTS = [f"select * from memhouse.{table}" for table in ("knowledge", "observation", "relation", "scope")]


@pytest.mark.parametrize(
    ("user", "query"), [*(("app_reader", query) for query in READS), *(("app_analyst", query) for query in SELECTS)]
)
def test_every_read_works(pair: Pair, user: str, query: str) -> None:
    with psycopg.connect(pair.replica.as_user(user)) as conn:
        assert conn.execute("show transaction_read_only").fetchone() == ("on",)
        conn.execute("select memhouse.begin_read(%s, 'dana')", (pair.house.tokens["bot"],))
        assert conn.execute(query).fetchall()


def test_no_function_of_a_reader_was_forgotten(pair: Pair) -> None:
    of_readers = pair.replica.execute(
        """select p.proname from pg_proc as p
           where p.pronamespace = 'memhouse'::regnamespace and p.prokind = 'f'
             and has_function_privilege('memhouse_reader', p.oid, 'execute')"""
    )
    # Run by every read above; a model inside the server; a list that is empty here.
    inside = {"begin_read", "begin_search", "embed", "rerank", "rerank_vectors", "model_status", "promotions"}
    asked = " ".join(READS)
    assert {name for (name,) in of_readers if f"{name}(" not in asked} <= inside


def test_a_write_is_refused_in_words(pair: Pair) -> None:
    with pair.replica.client() as memory, pytest.raises(MemhouseError) as error:
        memory.remember("Not here.", scope="acme/billing")
    assert error.value.sqlstate == "25006"


def test_revocation_and_new_knowledge_arrive(pair: Pair) -> None:
    pair.house.credential("leaver", ("acme", "member"))
    with pair.house.client() as memory:
        memory.remember("Porto is new.", scope="acme/billing", sensitivity="public")
    print(f"replayed after {pair.caught_up() * 1000:.0f} ms")
    with Client(pair.replica.dsn, credential=pair.house.tokens["leaver"], deadline_ms=30_000) as leaver:
        assert [hit.statement for hit in leaver.search("Porto")] == ["Porto is new."]
        pair.house.execute("select memhouse.revoke_credential('acme', 'leaver')")
        pair.caught_up()
        with pytest.raises(MemhouseError) as error:
            leaver.search("Porto")
    assert error.value.sqlstate == "MH004"


def test_reads_survive_the_primary_and_a_promoted_standby_writes(pair: Pair) -> None:
    """Last: it leaves no primary behind."""
    with pair.replica.client() as memory:
        before = answer(memory)
        pair.primary.kill()
        for _ in range(20):
            assert answer(memory) == before
    with pair.replica.client() as fresh:
        assert answer(fresh) == before
    pair.replica.execute("select pg_promote(true, 60)")
    with pair.replica.client() as memory:
        memory.remember("Written after promotion in Lisbon.", scope="acme/billing")
        assert "Written after promotion in Lisbon." in [statement for statement, _ in answer(memory)]
