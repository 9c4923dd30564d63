"""What a search hands back, in how many round trips, and what it leaves behind on a connection."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from memhouse_thin import AsyncClient, Client, EmbeddingIdentity, QueryCache, Statement, core, errors
from support.house import House, WordEmbedder

SETTINGS = (
    "select current_setting('statement_timeout'), current_setting('lock_timeout'),"
    " coalesce(current_setting('memhouse.account_id', true), '')"
)


@pytest.fixture(scope="module", autouse=True)
def furnished(house: House) -> None:
    with house.client("dana") as client:
        source = client.observe("We moved billing to 02:00.", scope="acme/billing", peer_key="dana", source_key="m-1")
        client.remember_many(
            [
                Statement(statement="The billing job runs at 02:00 UTC.", scope="acme/billing", sources=[source]),
                {"statement": "Dana prefers mail.", "scope": "acme", "subject_peer": "dana", "sensitivity": "personal"},
                {"statement": "The office closes at six.", "scope": "acme", "sensitivity": "public"},
            ]
        )


def test_the_answer(house: House) -> None:
    with house.client() as client:
        result = client.search("when does billing run?", peer_key="dana", scope="acme/billing")
        (hit,) = result
        assert len(result) == 1 and result[0] is hit and result[:1] == (hit,)
        assert hit.statement == "The billing job runs at 02:00 UTC."
        assert (hit.rank, hit.scope, hit.kind, hit.sensitivity) == (1, "acme/billing", "fact", "internal")
        assert isinstance(hit.id, UUID) and len(hit.sources) == 1 and hit.recorded_at.tzinfo is not None
        assert hit.found_by == ("lexical",)
        assert 0 < hit.score <= 1 and hit.score_breakdown["fusion_score"] == hit.fusion_score
        assert [item.name for item in result.strategies.contributed] == ["lexical"]
        assert [(item.name, item.reason_class) for item in result.strategies.dropped] == [
            ("semantic", "dependency_unavailable")
        ]
        assert (result.reader_posture, result.profile) == ("peer", "balanced")
        assert result.reader.peer_key == "dana" and set(result.reader.scopes) == {"acme", "acme/billing"}
        assert result.analyzer_version == "lexical-question-v2" and result.profile_version
        assert result.disagreement["query_dependent_empty"] is False
        assert result.total_ms >= result.elapsed_ms > 0
        with pytest.raises(FrozenInstanceError):
            hit.score = 2.0


def test_each_reader_has_an_answer_of_its_own(house: House) -> None:
    def found(credential: str, **options: object) -> set[str]:
        with house.client(credential) as client:
            return {hit.statement for hit in client.search("dana prefers billing job office", **options)}

    everything = {"The billing job runs at 02:00 UTC.", "Dana prefers mail.", "The office closes at six."}
    assert found("dana") == everything
    assert found("bot", peer_key="eli") == everything - {"Dana prefers mail."}
    assert found("bot") == {"The office closes at six."}


def test_posture(house: House) -> None:
    with house.client() as client:
        posture = client.posture(peer_key="dana", scope="acme", known_at=datetime(2030, 1, 1, tzinfo=UTC))
        assert (posture.account_key, posture.reader_posture, posture.peer_key) == ("acme", "peer", "dana")
        assert (posture.scopes, posture.clearance) == (("acme",), "restricted")
        assert posture.known_at == datetime(2030, 1, 1, tzinfo=UTC)
        assert client.posture().reader_posture == "public_only"


def test_filters_and_times(house: House) -> None:
    with house.client("dana") as client:
        assert not client.search("billing", filters={"kind": "policy"})
        assert client.search("billing", filters={"recorded_after": datetime(2001, 1, 1, tzinfo=UTC)})
        assert not client.search("billing", filters={"recorded_before": datetime(2001, 1, 1, tzinfo=UTC)})
        assert not client.search("billing", known_at="2001-01-01T00:00:00Z")


def test_times_beyond_pythons_calendar(own_house: House) -> None:
    with own_house.client("dana") as client:
        client.remember("Always so.", scope="acme", relevant_from="-infinity", relevant_until="infinity")
        client.remember("Long so.", scope="acme", relevant_from="0044-03-15 BC", relevant_until="20000-01-01")
        for hit in client.search("so always long"):
            assert (
                hit.relevant_from
                < datetime(1, 1, 2, tzinfo=UTC)
                < datetime(9999, 1, 1, tzinfo=UTC)
                < hit.relevant_until
            )


# Round trips -----------------------------------------------------------------------------------


@dataclass
class Wire:
    """A proxy that counts how often the client speaks after the server did."""

    dsn: str
    turns: int = 0


@pytest.fixture
def wire(house: House) -> Iterator[Wire]:
    target = conninfo_to_dict(house.as_user("app_writer"))
    listener = socket.create_server(("127.0.0.1", 0))
    found = Wire(make_conninfo(house.as_user("app_writer"), port=listener.getsockname()[1], gssencmode="disable"))
    lock = threading.Lock()
    last = ["server"]

    def pump(source: socket.socket, sink: socket.socket, speaker: str) -> None:
        with contextlib.suppress(OSError):  # the other direction has closed both
            while data := source.recv(65536):
                with lock:
                    if speaker == "client" and last[0] == "server":
                        found.turns += 1
                    last[0] = speaker
                sink.sendall(data)
        sink.close()

    def accept() -> None:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        far = socket.create_connection((target["host"], int(target["port"])))
        threading.Thread(target=pump, args=(near, far, "client"), daemon=True).start()
        pump(far, near, "server")

    threading.Thread(target=accept, daemon=True).start()
    yield found
    listener.close()


def test_a_read_is_one_round_trip(house: House, wire: Wire) -> None:
    with Client(wire.dsn, credential=house.tokens["bot"]) as client:
        client.search("billing")
        for deadline_ms in (None, 5_000):
            before = wire.turns
            client.search("billing", deadline_ms=deadline_ms)
            assert wire.turns - before == 1


def test_many_writes_are_one_transaction_and_few_round_trips(house: House, wire: Wire) -> None:
    with Client(wire.dsn, credential=house.tokens["dana"]) as client:
        client.search("billing")
        before = wire.turns
        ids = client.remember_many(
            {"statement": f"Number {n} is a number.", "scope": "acme/hr", "source_key": f"n-{n}"} for n in range(50)
        )
        assert len(set(ids)) == 50 and wire.turns - before <= 3


# Connections of the caller ---------------------------------------------------------------------


def test_settings_do_not_outlive_the_call(house: House) -> None:
    with psycopg.connect(house.as_user("app_writer"), autocommit=True) as conn:
        client = Client(conn, credential=house.tokens["dana"])
        before = conn.execute(SETTINGS).fetchone()
        client.search("billing")
        client.remember("Kept by itself.", scope="acme/hr", source_key="kept")
        with pytest.raises(errors.PeerUnknown):
            client.search("x", peer_key="nobody")
        assert conn.execute(SETTINGS).fetchone() == before
        client.close()
        assert not conn.closed


def test_a_callers_transaction_is_joined(house: House) -> None:
    with psycopg.connect(house.as_user("app_writer")) as conn:
        client = Client(conn, credential=house.tokens["dana"])
        conn.execute("set local statement_timeout = '77s'")
        conn.execute("create temporary table mine (n int) on commit preserve rows")
        conn.execute("insert into mine values (1)")
        before = conn.execute(SETTINGS).fetchone()
        client.search("billing")
        assert conn.execute(SETTINGS).fetchone() == before
        id = client.remember("Both or neither.", scope="acme/hr")
        with pytest.raises(errors.PeerUnknown):
            client.search("x", peer_key="nobody")
        # The error cost nothing of what the caller did, and the memory is there for it to see.
        assert conn.execute("select n from mine").fetchone() == (1,)
        assert [hit.id for hit in client.search("both neither")] == [id]
        conn.rollback()
        assert not client.search("both neither")


def test_a_pool_is_shared_and_handed_back_as_it_was(house: House) -> None:
    with ConnectionPool(house.as_user("app_writer"), min_size=1, max_size=2) as pool:
        client = Client(pool, credential=house.tokens["bot"])
        answers: list[int] = []

        def ask() -> None:
            for _ in range(5):
                answers.append(len(client.search("office")))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [1] * 20
        with pytest.raises(errors.PeerUnknown):
            client.search("x", peer_key="nobody")
        for _ in range(2):
            with pool.connection() as conn:
                assert conn.autocommit is False
                assert conn.execute(SETTINGS).fetchone()[0] == "0"


def test_one_client_may_be_used_by_many_threads(house: House) -> None:
    with house.client() as client:
        answers: list[int] = []
        threads = [threading.Thread(target=lambda: answers.append(len(client.search("office")))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [1] * 8


def test_nothing_is_prepared_by_default(house: House) -> None:
    """So that consecutive transactions may run on different connections of a pooler."""
    with psycopg.connect(house.as_user("app_writer"), autocommit=True, prepare_threshold=None) as conn:
        client = Client(conn, credential=house.tokens["bot"])
        for _ in range(10):
            client.search("office")
        assert conn.execute("select count(*) from pg_prepared_statements").fetchone() == (0,)


def test_an_error_before_a_statement_was_prepared(house: House) -> None:
    """psycopg takes what it sends in a pipeline as prepared, though the server skips all that follows an error."""
    with Client(house.as_user("app_writer"), credential=house.tokens["bot"], prepare_threshold=1) as client:
        assert client.search("office")
        # Prepares the search, which comes after begin_read in the pipeline, for the first time.
        with pytest.raises(errors.PeerUnknown):
            client.search("office", peer_key="nobody")
        assert client.search("office")


def test_reads_that_fail_again_and_again_leave_the_callers_transaction_open(house: House) -> None:
    with psycopg.connect(house.as_user("app_writer")) as conn:
        conn.execute("create temporary table mine (i integer)")
        client = Client(conn, credential=house.tokens["bot"])
        for number in range(15):
            with pytest.raises(errors.ScopeUnknown):
                client.search("billing", scope="nope")
            conn.execute("insert into mine values (%s)", (number,))
        assert client.search("billing") is not None
        assert conn.execute("select count(*) from mine").fetchone() == (15,)


def test_reads_that_fail_again_and_again_leave_a_callers_awaited_transaction_open(house: House) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(house.as_user("app_writer")) as conn:
            await conn.execute("create temporary table mine (i integer)")
            client = AsyncClient(conn, credential=house.tokens["bot"])
            for number in range(15):
                with pytest.raises(errors.ScopeUnknown):
                    await client.search("billing", scope="nope")
                await conn.execute("insert into mine values (%s)", (number,))
            counted = await conn.execute("select count(*) from mine")
            assert await counted.fetchone() == (15,)

    asyncio.run(work())


# Vectors ---------------------------------------------------------------------------------------


def test_the_prefix_is_for_queries_and_queries_are_embedded_once(own_house: House) -> None:
    embedder = WordEmbedder()
    with own_house.client("dana", embedder=embedder) as client:
        client.remember("The invoices go out on Monday.", scope="acme")
        assert embedder.asked == ["The invoices go out on Monday."]
        for _ in range(3):
            result = client.search("when do invoices go out?")
        assert embedder.asked[1:] == ["query: when do invoices go out?"]
        assert {item.name for item in result.strategies.contributed} == {"semantic", "lexical"}
        assert result.embedding_ms == 0
        client.search("   ")
        assert len(embedder.asked) == 2


def test_the_cache_is_bounded_keyed_and_holds_no_text() -> None:
    cache = QueryCache(max_entries=2)
    one, two = EmbeddingIdentity("p", "m", "1", 3), EmbeddingIdentity("p", "m", "2", 3)
    vector = core.as_vector([1.0, 0.0, 0.0])
    cache.put("acme", one, "a secret question", vector)
    assert cache.get("acme", one, "a secret question") == vector
    assert cache.get("other", one, "a secret question") is None
    assert cache.get("acme", two, "a secret question") is None
    assert cache.get(None, one, "a secret question") is None
    assert "secret" not in repr(vars(cache)) and b"secret" not in repr(vars(cache)).encode()
    cache.put("acme", one, "second", vector)
    assert cache.get("acme", one, "a secret question") is not None
    cache.put("acme", one, "third", vector)
    assert cache.get("acme", one, "second") is None and len(cache) == 2


def test_a_shared_cache_serves_clients_of_an_account(own_house: House) -> None:
    cache, first, second = QueryCache(), WordEmbedder(), WordEmbedder()
    with own_house.client("dana", embedder=first, cache=cache) as client:
        client.search("a question")
    with own_house.client("bot", embedder=second, cache=cache) as client:
        client.search("warm")
        client.search("a question")
    assert (first.asked, second.asked) == (["query: a question"], ["query: warm"])


class BrokenEmbedder(WordEmbedder):
    def __call__(self, text: str, /) -> list[float]:
        raise RuntimeError("no model today")


class NanEmbedder(WordEmbedder):
    def __call__(self, text: str, /) -> list[float]:
        return [float("nan")] * 16


@pytest.mark.parametrize("embedder", [BrokenEmbedder(), NanEmbedder()])
def test_a_failing_embedder(own_house: House, embedder: WordEmbedder, caplog: pytest.LogCaptureFixture) -> None:
    with own_house.client("dana", embedder=embedder) as client, caplog.at_level(logging.WARNING):
        client.remember("The secret invoices go out on Monday.", scope="acme")
        result = client.search("when do invoices go out?")
        assert len(result) == 1
        assert [(item.name, item.reason_class) for item in result.strategies.dropped] == [
            ("semantic", "dependency_unavailable")
        ]
        assert "embedder failed" in caplog.text and "invoices" not in caplog.text
    with own_house.client("dana", embedder=embedder, strict=True) as client:
        with pytest.raises(errors.EmbedderFailed):
            client.search("when do invoices go out?")
        with pytest.raises(errors.EmbedderFailed):
            client.remember("x", scope="acme")


def test_vectors_can_come_later(own_house: House) -> None:
    with own_house.client("dana") as client:
        ids = client.remember_many({"statement": f"Invoice {n} is paid.", "scope": "acme"} for n in range(7))
        client.store_embedding(ids[0], WordEmbedder()("Invoice 0 is paid."), identity="test:words@1#16")
        assert [id for id, _ in client.unembedded()] == ids[1:]
        (known,) = client.embedding_identities()
        assert known.identity == WordEmbedder.identity and known.is_default
    with own_house.client("dana", embedder=WordEmbedder()) as client:
        assert client.embed_missing(batch=4) == 6
        assert client.embed_missing() == 0
        assert len(client.search("invoice paid", profile="fast")) == 7


# Writing ---------------------------------------------------------------------------------------


def test_many_are_stored_all_or_none(own_house: House) -> None:
    statements = [{"statement": f"Statement {n}.", "scope": "acme"} for n in range(20)]
    statements[13]["kind"] = "rumour"
    with own_house.client("dana") as client:
        with pytest.raises(errors.ArgumentInvalid) as caught:
            client.remember_many(statements)
        assert caught.value.position == 13
        statements[13] = {"statement": "nul \x00", "scope": "acme"}
        with pytest.raises(errors.ArgumentInvalid) as caught:
            client.remember_many(statements)
        assert caught.value.position == 13
        statements[13] = {"statement": "x", "scope": "acme", "colour": "red"}
        with pytest.raises(errors.ArgumentInvalid) as caught:
            client.remember_many(statements)
        assert caught.value.position == 13
        assert client.remember_many([]) == []
    assert own_house.execute("select count(*) from memhouse.knowledge") == [(0,)]


def test_source_keys_make_writing_idempotent(own_house: House) -> None:
    with own_house.client("dana") as client:
        first = client.observe("Hello.", scope="acme", source_key="o-1", occurred_at="2024-05-01T10:00:00Z")
        assert client.observe("Other.", scope="acme", source_key="o-1") == first
        one = client.remember("One.", scope="acme", source_key="k-1", sources=[first])
        assert client.remember("Other.", scope="acme", source_key="k-1") == one
        two = client.remember("Two.", scope="acme", source_key="k-2")
        client.relate(two, one, "supersedes")
        client.relate(two, str(one), "supersedes", confidence=0.5)
    assert own_house.execute("select count(*) from memhouse.relation") == [(1,)]


def test_listing_pages_through_what_the_reader_sees(own_house: House) -> None:
    with own_house.client("dana") as client:
        ids = client.remember_many({"statement": f"Number {n}.", "scope": "acme"} for n in range(5))
        mine = client.remember("Mine.", scope="acme", subject_peer="dana", sensitivity="personal", metadata={"a": [1]})
        pages = [client.list_knowledge(limit=4)]
        pages.append(client.list_knowledge(limit=4, after=pages[0][-1].id))
        assert [item.id for page in pages for item in page] == [mine, *reversed(ids)]
        first = pages[0][0]
        assert (first.statement, first.subject_peer, first.state, first.metadata) == (
            "Mine.",
            "dana",
            "active",
            {"a": [1]},
        )
        assert first.recorded_at.tzinfo is not None and first.expires_at is None
        assert client.list_knowledge(filters={"subject_peer": "dana"}) == [first]
    with own_house.client() as client:
        assert len(client.list_knowledge(peer_key="eli")) == 5 and client.list_knowledge() == []


def test_a_statement_moves_and_ends(own_house: House) -> None:
    with own_house.client("dana") as client:
        source = client.observe("We said so.", scope="acme")
        id = client.remember("It is so.", scope="acme", sources=[source])
        with pytest.raises(errors.TransitionInvalid):
            client.transition(id, "proposed")
        assert client.transition(id, "retracted", reason="it is not") == "retracted"
        assert not client.search("so")
        other = client.remember("It is so again.", scope="acme", sources=[source])
        client.erase(id, keep_sources=True)
        with pytest.raises(errors.NotFound):
            client.erase(id)
        client.erase(other)
    assert own_house.execute("select count(*) from memhouse.observation") == [(0,)]


# Async -----------------------------------------------------------------------------------------


def test_the_async_client(own_house: House) -> None:
    dsn, token = own_house.as_user("app_writer"), own_house.tokens["dana"]

    class AwaitedEmbedder(WordEmbedder):
        async def __call__(self, text: str, /) -> list[float]:  # type: ignore[override]
            await asyncio.sleep(0)
            return super().__call__(text)

    async def scenario() -> None:
        for embedder in (WordEmbedder(), AwaitedEmbedder()):
            async with AsyncClient(dsn, credential=token, embedder=embedder) as client:
                id = await client.remember("The invoices go out on Monday.", scope="acme", source_key="a")
                results = await asyncio.gather(*(client.search("when do invoices go out?") for _ in range(5)))
                assert [[hit.id for hit in result] for result in results] == [[id]] * 5
                assert {item.name for item in results[0].strategies.contributed} == {"semantic", "lexical"}
                with pytest.raises(errors.PeerUnknown):
                    await client.search("x", peer_key="nobody")
                assert (await client.posture()).peer_key == "dana"
        async with AsyncConnectionPool(dsn, min_size=1, open=False) as pool:
            client = AsyncClient(pool, credential=token)
            assert len(await client.search("invoices")) == 1
            async with pool.connection() as conn:
                assert conn.autocommit is False
        async with await psycopg.AsyncConnection.connect(dsn) as conn:
            client = AsyncClient(conn, credential=token)
            await client.remember("Both or neither.", scope="acme")
            await conn.rollback()
            assert not await client.search("neither")

    asyncio.run(scenario())


def test_a_cancelled_task_leaves_a_working_client(own_house: House, slow_lexical) -> None:
    async def scenario() -> None:
        async with AsyncClient(own_house.as_user("app_writer"), credential=own_house.tokens["dana"]) as client:
            task = asyncio.create_task(client.search("slow", deadline_ms=9_000))
            await asyncio.sleep(0.3)
            task.cancel()
            started = time.perf_counter()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.perf_counter() - started < 5
            assert (await client.posture()).peer_key == "dana"

    slow_lexical(own_house)
    asyncio.run(scenario())
