"""Every error a client can meet has its class, its SQLSTATE and the server's words."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable

import psycopg
import pytest

from memhouse_thin import Client, core, errors
from support.house import House

UNKNOWN_ID = "01890000-0000-7000-8000-000000000000"


def test_the_mapping_is_the_servers_catalogue(house: House) -> None:
    catalogue = dict(house.execute("select code, name from memhouse.error_catalog()"))
    assert {code: cls.__name__ for code, cls in errors.CATALOGUE.items()} == catalogue


REFUSED: dict[str, tuple[type[errors.MemhouseError], Callable[[Client], object]]] = {
    "peer": (errors.PeerUnknown, lambda c: c.search("x", peer_key="nobody")),
    "scope": (errors.ScopeUnknown, lambda c: c.search("x", scope="nowhere")),
    "profile": (errors.ProfileUnknown, lambda c: c.search("x", profile="wild")),
    "filter key": (errors.FilterInvalid, lambda c: c.search("x", filters={"colour": "red"})),
    "filter value": (errors.FilterInvalid, lambda c: c.search("x", filters={"min_confidence": "high"})),
    "filter not JSON": (errors.ArgumentInvalid, lambda c: c.search("x", filters={"kind": object()})),
    "filter NaN": (errors.ArgumentInvalid, lambda c: c.search("x", filters={"min_confidence": float("nan")})),
    "limit 0": (errors.ArgumentInvalid, lambda c: c.search("x", limit=0)),
    "limit 101": (errors.ArgumentInvalid, lambda c: c.search("x", limit=101)),
    "limit null": (errors.ArgumentInvalid, lambda c: c.search("x", limit=None)),
    "limit huge": (errors.ArgumentInvalid, lambda c: c.search("x", limit=2**70)),
    "limit text": (errors.ArgumentInvalid, lambda c: c.search("x", limit="many")),  # type: ignore[arg-type]
    "deadline 0": (errors.ArgumentInvalid, lambda c: c.search("x", deadline_ms=0)),
    "deadline huge": (errors.ArgumentInvalid, lambda c: c.search("x", deadline_ms=10**9)),
    "time": (errors.ArgumentInvalid, lambda c: c.search("x", as_of="the day before never")),
    "megabyte": (errors.QueryTooLong, lambda c: c.search("x" * 1_000_000)),
    "NUL": (errors.ArgumentInvalid, lambda c: c.search("a\x00b")),
    "NUL in a key": (errors.ArgumentInvalid, lambda c: c.search("x", peer_key="da\x00na")),
    "NUL in JSON": (errors.ArgumentInvalid, lambda c: c.observe("x", scope="acme", metadata={"a": "\x00"})),
    "surrogate": (errors.ArgumentInvalid, lambda c: c.search("a\ud800b")),
    "dimensions": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[1.0, 2.0])),
    "NaN": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[float("nan")] * 16)),
    "infinity": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[float("inf")] * 16)),
    "zero": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[0.0] * 16)),
    "no numbers": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[])),
    "not numbers": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=["a"])),  # type: ignore[list-item]
    "too many numbers": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[1.0] * 16_000)),
    "more numbers than any vector has": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[1.0] * 16_001)),
    "beyond single precision": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[1e39] * 16)),
    "beyond double precision": (errors.EmbeddingInvalid, lambda c: c.search("x", embedding=[10**400] * 16)),
    "remember dimensions": (errors.EmbeddingInvalid, lambda c: c.remember("x", scope="acme", embedding=[1.0, 2.0])),
    "remember zero": (errors.EmbeddingInvalid, lambda c: c.remember("x", scope="acme", embedding=[0.0] * 16)),
    "embed dimensions": (errors.EmbeddingInvalid, lambda c: c.store_embedding(UNKNOWN_ID, [1.0] * 16_001)),
    "identity": (
        errors.EmbeddingIdentityUnknown,
        lambda c: c.search("x", embedding=[1.0] * 16, identity="other:model@1#16"),
    ),
    "write scope": (errors.ScopeUnknown, lambda c: c.remember("x", scope="nowhere")),
    "kind": (errors.ArgumentInvalid, lambda c: c.remember("x", scope="acme", kind="rumour")),
    "empty statement": (errors.ArgumentInvalid, lambda c: c.remember("", scope="acme")),
    "confidence": (errors.ArgumentInvalid, lambda c: c.remember("x", scope="acme", confidence=7.0)),
    "subject": (errors.PeerUnknown, lambda c: c.remember("x", scope="acme", subject_peer="nobody")),
    "source": (errors.NotFound, lambda c: c.remember("x", scope="acme", sources=[UNKNOWN_ID])),
    "not a uuid": (errors.ArgumentInvalid, lambda c: c.remember("x", scope="acme", sources=["one"])),
    "relation ends": (errors.NotFound, lambda c: c.relate(UNKNOWN_ID, uuid.uuid4(), "supports")),
    "embed nothing": (errors.NotFound, lambda c: c.store_embedding(UNKNOWN_ID, [1.0] * 16)),
    "no embedder": (errors.ArgumentInvalid, lambda c: c.embed_missing()),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_by_name(house: House, case: str) -> None:
    cls, call = REFUSED[case]
    with house.client() as client:
        with pytest.raises(errors.MemhouseError) as caught:
            call(client)
        assert type(caught.value) is cls
        assert caught.value.message
        if cls.code and caught.value.sqlstate == cls.code and case not in {"no embedder"}:
            assert caught.value.detail or caught.value.hint
        # The connection is as good as before.
        client.search("still here")


EMPTY = {
    "nothing": "",
    "blank": " \t\n",
    "stop words": "the of and to",
    "operators": '- "" | & ! :* ()',
    "unbalanced quotes": 'say "hello',
    "only a minus": "-",
    "backslashes": "\\ ' \\' %s %(x)s",
    "emoji": "🦑🦑",
}


@pytest.mark.parametrize("case", EMPTY)
def test_odd_queries_have_an_answer(house: House, case: str) -> None:
    with house.client() as client:
        assert len(client.search(EMPTY[case], limit=100)) == 0


def test_ten_thousand_terms_are_bounded(house: House) -> None:
    """Within the length the server accepts, surplus terms are counted and left out."""
    with house.client() as client:
        with pytest.raises(errors.QueryTooLong):
            client.search(" ".join(f"word{n}" for n in range(10_000)))
        result = client.search(" ".join(f"w{n}" for n in range(1_500)))
        assert result.report["terms_ignored"] > 0


def test_credentials(own_house: House) -> None:
    own_house.credential("late", ("acme", "reader"), expires_at="2001-01-01T00:00:00Z")
    own_house.credential("gone", ("acme", "reader"))
    with own_house.client("gone") as client:
        client.search("x")
        own_house.execute("select memhouse.revoke_credential('acme', 'gone')")
        with pytest.raises(errors.CredentialRevoked):
            client.search("x")
    for token, cls in (("late", errors.CredentialExpired), ("mh_nobody", errors.CredentialUnknown)):
        with own_house.client(token) as client, pytest.raises(cls):
            client.search("x")
    # app_writer is no credential by itself.
    with own_house.client(None) as client, pytest.raises(errors.CredentialUnknown):
        client.search("x")


def test_writing_where_one_may_only_read(house: House) -> None:
    with house.client("reader") as client, pytest.raises(errors.WriteNotPermitted):
        client.remember("x", scope="acme")


def test_a_reading_role_may_not_write(house: House) -> None:
    with Client(house.as_user("app_reader"), credential=house.tokens["bot"]) as client:
        with pytest.raises(errors.PermissionDenied) as caught:
            client.remember("x", scope="acme")
        assert "memhouse_writer" in (caught.value.hint or "")
        client.search("x")


def test_without_a_posture(house: House) -> None:
    with psycopg.connect(house.as_user("app_reader")) as conn, pytest.raises(psycopg.Error) as caught:
        conn.execute("select memhouse.search_report('x')")
    assert type(core.failure(caught.value)) is errors.PostureMissing


def test_administration_errors(house: House) -> None:
    for cls, query in (
        (errors.AlreadyExists, "select memhouse.create_account('acme')"),
        (errors.AccountUnknown, "select memhouse.create_scope('nowhere', 'x')"),
        (errors.SettingInvalid, "select memhouse.set_account_setting('acme', 'colour', '1')"),
    ):
        with pytest.raises(psycopg.Error) as caught:
            house.execute(query)
        assert type(core.failure(caught.value)) is cls


def test_not_installed(empty_database: str) -> None:
    with Client(empty_database) as client, pytest.raises(errors.NotInstalled) as caught:
        client.search("x")
    assert caught.value.hint == "Run: memhouse migrate"


def test_no_server() -> None:
    with Client("host=127.0.0.1 port=1 connect_timeout=2") as client, pytest.raises(errors.ConnectionFailed):
        client.search("x")


def test_a_connection_string_that_is_none() -> None:
    with Client("host=") as client, pytest.raises(errors.MemhouseError):
        client.search("x")
    with pytest.raises(TypeError):
        Client(42)  # type: ignore[arg-type]


def test_a_lost_connection_is_named_and_replaced(house: House) -> None:
    with house.client() as client:
        client.search("x")
        house.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and usename = 'app_writer'"
        )
        with pytest.raises(errors.ConnectionFailed):
            client.search("x")
        client.search("x")


def test_a_cancel_is_a_cancel(own_house: House, slow_lexical: Callable[[House], None]) -> None:
    slow_lexical(own_house)
    caught: list[BaseException] = []

    def search() -> None:
        with own_house.client() as client:
            try:
                client.search("slow", deadline_ms=20_000)
            except errors.MemhouseError as error:
                caught.append(error)

    thread = threading.Thread(target=search)
    thread.start()
    deadline = time.monotonic() + 15
    sleeping = (
        "select pg_cancel_backend(pid) from pg_stat_activity where usename = 'app_writer' and wait_event = 'PgSleep'"
    )
    while thread.is_alive() and not own_house.execute(sleeping) and time.monotonic() < deadline:
        time.sleep(0.05)
    thread.join(15)
    assert [type(error) for error in caught] == [errors.QueryCancelled]
    assert caught[0].sqlstate == "57014"
