"""What the tests of the lifecycle share."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from support.hand import Hand
from support.house import House, house, own_house  # noqa: F401


@pytest.fixture
def hand(house: House) -> Hand:
    """A member of scope acme and all below it, who reads for eli."""
    return _hired(house, "worker", "member")


@pytest.fixture
def curator(house: House) -> Hand:
    return _hired(house, "curator", "curator")


def _hired(house: House, name: str, role: str) -> Hand:
    if name not in house.tokens:
        house.credential(name, ("acme", role), peer_key="eli", clearance="restricted")
    return Hand(house, name)


@pytest.fixture
def sqlstate() -> Callable[..., str]:
    """The SQLSTATE with which a call fails."""

    def of(call: Callable[..., object], *arguments: object, **named: object) -> str:
        with pytest.raises(psycopg.Error) as caught:
            call(*arguments, **named)
        return caught.value.sqlstate

    return of
