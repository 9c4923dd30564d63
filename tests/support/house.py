"""A small account in a database of its own, for tests of the client and the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from memhouse_thin import Client, EmbeddingIdentity
from support.servers import Server


class WordEmbedder:
    """Sixteen buckets of words: texts that share words are close. Remembers what it was asked."""

    identity = EmbeddingIdentity("test", "words", "1", 16, "query: ")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str, /) -> list[float]:
        self.asked.append(text)
        vector = [0.01] * 16
        for word in text.lower().replace("?", "").replace(".", "").split():
            vector[hashlib.sha256(word.encode()).digest()[0] % 16] += 1.0
        return vector


@dataclass
class House:
    """Account acme: scopes acme, acme/billing and acme/hr; peers dana and eli; credentials by name."""

    dsn: str
    tokens: dict[str, str] = field(default_factory=dict)

    def as_user(self, user: str) -> str:
        return make_conninfo(self.dsn, user=user)

    def execute(self, query: str, *parameters: object) -> list[tuple]:
        """As superuser, committed at once."""
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            cursor = conn.execute(query, parameters or None)
            return cursor.fetchall() if cursor.description else []

    def client(self, credential: str | None = "bot", **options: object) -> Client:
        """A client over a login role that may read and write, and nothing more."""
        token = None if credential is None else self.tokens.get(credential, credential)
        # Others use this machine while the tests run: only a test of deadlines shall meet one.
        options.setdefault("deadline_ms", 30_000)
        return Client(self.as_user("app_writer"), credential=token, **options)

    def credential(self, name: str, *grants: tuple[str, str], **options: object) -> str:
        arguments = {"account": "acme", "name": name, **options}
        named = ", ".join(f"p_{key} => %({key})s" for key in arguments)
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            (token,) = conn.execute(f"select memhouse.create_credential({named})", arguments).fetchone()
            for scope, role in grants:
                conn.execute("select memhouse.grant_scope('acme', %s, %s, %s)", (name, scope, role))
        self.tokens[name] = token
        return token


def furnish(dsn: str) -> House:
    house = House(dsn)
    house.execute("select memhouse.create_account('acme')")
    for scope, parent in (("acme", None), ("acme/billing", "acme"), ("acme/hr", "acme")):
        house.execute("select memhouse.create_scope('acme', %s, %s)", scope, parent)
    for peer in ("dana", "eli"):
        house.execute("select memhouse.create_peer('acme', %s)", peer)
    house.execute("select memhouse.register_embedding_identity('test', 'words', '1', 16, 'query: ')")
    house.credential("bot", ("acme", "member"), clearance="restricted")
    house.credential("dana", ("acme", "member"), kind="session", peer_key="dana", clearance="personal")
    house.credential("reader", ("acme", "reader"), peer_key="eli")
    house.credential("billing", ("acme/billing", "member"))
    return house


@pytest.fixture(scope="module")
def house(server: Server, database: str) -> Iterator[House]:
    """An account that the tests of a module share; they add to it and take nothing away."""
    name = server.create_database(template=database)
    yield furnish(server.dsn(name))
    server.drop_database(name)


@pytest.fixture
def own_house(fresh_database: str) -> House:
    """An account of the test's own."""
    return furnish(fresh_database)


SLEEPY = """
create or replace function memhouse.strategy_lexical(p_request memhouse.request, p_limit integer)
returns setof memhouse.candidate language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$ begin perform pg_sleep(10); end $$
"""


@pytest.fixture
def slow_lexical() -> Callable[[House], None]:
    """Makes the lexical strategy of a test's own database sleep for ten seconds."""

    def slow(house: House) -> None:
        house.execute(SLEEPY)

    return slow
