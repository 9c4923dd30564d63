"""docs/reference.md says what the database says."""

from __future__ import annotations

from pathlib import Path

import psycopg

from support.generated import compare, reference

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"


def test_reference_is_current(db: psycopg.Connection, regenerate: bool) -> None:
    compare(REFERENCE, reference(db), regenerate, "make docs")
