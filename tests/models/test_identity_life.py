"""The life of an embedding identity: vectors never mix, the next one grows beside, the switch is one moment."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from memhouse_thin import Client, EmbeddingIdentity
from memhouse_thin.cli import main
from memhouse_thin.errors import EmbeddingIdentityUnknown, EmbeddingInvalid, PermissionDenied
from support.house import House, WordEmbedder

NEXT = EmbeddingIdentity("test", "words", "2", 16, "find: ")


class NextEmbedder(WordEmbedder):
    """The next version: other numbers for the same words."""

    identity = NEXT

    def __call__(self, text: str, /) -> list[float]:
        return super().__call__(text)[::-1]


@pytest.fixture
def filled(own_house: House) -> House:
    with own_house.client(embedder=WordEmbedder()) as client:
        for text in ("The kettle boils.", "Backups run hourly.", "Dana owns payroll."):
            client.remember(text, scope="acme", sensitivity="public")
    return own_house


def register(house: House) -> None:
    house.execute("select memhouse.register_embedding_identity('test', 'words', '2', 16, 'find: ')")


def status(house: House) -> dict[str, tuple]:
    rows = house.execute(
        "select identity_key, is_current, vectors, missing, stale from memhouse.embedding_status('acme')"
    )
    return {row[0]: row[1:] for row in rows}


def switch(house: House, *arguments: object) -> None:
    places = ", ".join(["%s"] * len(arguments))
    house.execute(f"select memhouse.switch_embedding_identity('acme', {places})", *arguments)


def test_re_embed_switch_drop(filled: House) -> None:
    register(filled)
    assert status(filled) == {"test:words@1#16": (True, 3, 0, 0), NEXT.key: (False, 0, 3, 0)}
    with filled.client() as client:
        before = client.search("kettle").profile_version

    # Beside the old one, a part at a time; meanwhile the old one is what is searched.
    with filled.client(embedder=NextEmbedder()) as client:
        first = client.unembedded(limit=1)
        client.store_embedding(first[0][0], NextEmbedder()(first[0][1]))
        with pytest.raises(EmbeddingIdentityUnknown, match=r"this account searches .*words@1"):
            client.search("kettle")
        assert client.embed_missing(batch=1) == 2
    with filled.client(embedder=WordEmbedder()) as client:
        assert client.search("kettle").strategies.contributed
    assert status(filled)[NEXT.key] == (False, 3, 0, 0)

    with pytest.raises(psycopg.Error, match="out of its range"):
        filled.execute("select memhouse.drop_embedding_identity('test:words@1#16')")
    switch(filled, NEXT.key)
    assert status(filled)[NEXT.key][0]
    with filled.client(embedder=NextEmbedder()) as client:
        result = client.search("kettle")
        assert result[0].statement == "The kettle boils."
        assert "semantic" in {item.name for item in result.strategies.contributed}
        # The prefix before queries is another one now.
        assert result.profile_version != before
        assert [item.identity.key for item in client.embedding_identities() if item.is_default] == [NEXT.key]
    with filled.client(embedder=WordEmbedder()) as client, pytest.raises(EmbeddingIdentityUnknown):
        client.search("kettle")

    assert filled.execute("select memhouse.drop_embedding_identity('test:words@1#16')") == [(3,)]
    assert status(filled) == {NEXT.key: (True, 3, 0, 0)}
    assert filled.execute("select count(*) from memhouse.embedding") == [(3,)]
    assert filled.execute("select to_regclass('memhouse.embedding_hnsw_1')") == [(None,)]


def test_a_switch_that_would_lose_statements_is_refused(filled: House) -> None:
    register(filled)
    with pytest.raises(psycopg.Error) as caught:
        switch(filled, NEXT.key)
    assert caught.value.sqlstate == "MH010"
    assert "3 statements" in caught.value.diag.message_detail
    switch(filled, NEXT.key, True)
    with filled.client(embedder=NextEmbedder()) as client:
        assert [hit.statement for hit in client.search("kettle")] == ["The kettle boils."]


@pytest.mark.parametrize("call", ["switch_embedding_identity('acme', %s)", "drop_embedding_identity(%s)"])
@pytest.mark.parametrize("key", ["nobody:nothing@0#1", None])
def test_an_unknown_identity(own_house: House, call: str, key: str | None) -> None:
    with pytest.raises(psycopg.Error) as caught:
        own_house.execute(f"select memhouse.{call}", key)
    assert caught.value.sqlstate == "MH013"


def test_server_side_work_reaches_every_statement(filled: House) -> None:
    with filled.client() as client:
        client.remember("Eli is on leave.", scope="acme", subject_peer="eli", sensitivity="restricted")
    with filled.client(embedder=WordEmbedder()) as client:
        assert client.embed_missing() == 0  # not this reader's to see
        with pytest.raises(PermissionDenied):
            client.embed_missing(account="acme")
    with Client(filled.dsn, embedder=WordEmbedder()) as internal:
        assert internal.embed_missing(account="acme") == 1


def test_accounts_switch_apart(filled: House) -> None:
    register(filled)
    filled.execute("select memhouse.create_account('other')")
    switch(filled, NEXT.key, True)
    rows = filled.execute("select account_key, identity_key from memhouse.embedding_status() where is_current")
    assert rows == [("acme", NEXT.key), ("other", "test:words@1#16")]


def test_an_identity_in_use_stays(filled: House) -> None:
    register(filled)
    switch(filled, NEXT.key, True)
    with pytest.raises(psycopg.Error, match="out of its range"):
        filled.execute("select memhouse.drop_embedding_identity(%s)", NEXT.key)


def test_a_vector_is_never_padded_or_cut(filled: House) -> None:
    with filled.client() as client, pytest.raises(EmbeddingInvalid):
        client.search("kettle", embedding=[1.0] * 15)


def test_by_the_command_line(filled: House, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From one model to the next by commands alone, with the real model as the next."""
    monkeypatch.setenv("MEMHOUSE_MODELS", str(models))
    monkeypatch.setenv("MEMHOUSE_DSN", filled.dsn)
    key = "onnx:bge-small-en-v1.5@int8-68807e3f#384"

    def run(*words: str) -> object:
        done = CliRunner().invoke(main, [*words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def current() -> dict[str, tuple[bool, int, int]]:
        rows = run("identity", "status", "acme")
        return {row["identity"]: (row["is_current"], row["vectors"], row["missing"]) for row in rows}

    run("identity", "register")
    assert current() == {"test:words@1#16": (True, 3, 0), key: (False, 0, 3)}
    refused = CliRunner().invoke(main, ["identity", "switch", "acme", key])
    assert refused.exit_code == 7 and "3 statements" in refused.output
    assert run("embed", "--account", "acme", "--tokens") == {
        "vectors": {"stored": 3, "failed": 0},
        "token_vectors": {"stored": 3, "failed": 0},
    }
    assert run("embed", "--account", "acme")["vectors"]["stored"] == 0
    run("identity", "switch", "acme", key)
    assert run("identity", "drop", "test:words@1#16")["vectors"] == 3
    assert current() == {key: (True, 3, 0)}
    token = filled.tokens["bot"]
    found = run(
        "search",
        "when does the kettle boil",
        "--profile",
        "thorough",
        "--rerank",
        "--deadline-ms",
        "30000",
        "--credential",
        token,
    )
    assert found["candidates"][0]["statement"] == "The kettle boils."
    assert found["rerank"]["outcome"] == "contributed" and found["rerank"]["scored"] == 3
