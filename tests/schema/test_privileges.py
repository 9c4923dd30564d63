"""The whole privilege matrix, equal to a golden file that a person has read."""

from __future__ import annotations

from pathlib import Path

import psycopg

from support.generated import compare, privileges

GOLDEN = Path(__file__).with_name("privileges.txt")


def test_privilege_matrix(db: psycopg.Connection, regenerate: bool) -> None:
    compare(GOLDEN, privileges(db), regenerate, "make privileges")


def test_nothing_is_for_public(db: psycopg.Connection) -> None:
    assert [line for line in privileges(db).splitlines() if "| PUBLIC:" in line] == []
