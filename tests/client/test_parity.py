"""The two clients are one: the same methods, arguments and words."""

from __future__ import annotations

import inspect
import re

import pytest

from memhouse_thin import AsyncClient, Client

SYNC = {name: member for name, member in vars(Client).items() if inspect.isfunction(member)}
ASYNC = {name: member for name, member in vars(AsyncClient).items() if inspect.isfunction(member)}
PAIRS = {name: name.replace("__enter__", "__aenter__").replace("__exit__", "__aexit__") for name in SYNC}


def signature(member: object) -> str:
    """The signature, with the types of psycopg that differ by nature written alike."""
    text = str(inspect.signature(member))
    return re.sub(r"\bAsync(?=Connection|ConnectionPool|Client|Iterator)", "", text)


def test_the_same_methods() -> None:
    assert set(PAIRS.values()) == set(ASYNC)


@pytest.mark.parametrize("name", sorted(SYNC))
def test_the_same_signature_and_words(name: str) -> None:
    mine, other = SYNC[name], ASYNC[PAIRS[name]]
    assert signature(mine) == signature(other)
    assert inspect.getdoc(mine) == inspect.getdoc(other)


@pytest.mark.parametrize("name", sorted(name for name in SYNC if not name.startswith("_")))
def test_public_methods_are_awaited_and_documented(name: str) -> None:
    assert inspect.iscoroutinefunction(ASYNC[name])
    assert inspect.getdoc(SYNC[name])


def test_the_same_words_on_the_classes() -> None:
    assert inspect.getdoc(Client) == inspect.getdoc(AsyncClient)
