"""How a query is read: terms, boilerplate, operators, limits."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from support.memory import Memory


def analyze(db: psycopg.Connection, query: str) -> tuple:
    return db.execute(
        "select mode, terms::text, terms_ignored, analyzer_version from memhouse.analyze_query(%s)", (query,)
    ).fetchone()


@pytest.mark.parametrize(
    ("query", "mode", "terms"),
    [
        ("When does the billing job run?", "any", "'bill' | 'job' | 'run'"),
        ("Tell me how many invoices failed", "any", "'invoic' | 'fail'"),
        ("Tell me, please", "any", "'tell' | 'pleas'"),
        ("deploy on 3 May, not in June", "any", "'deploy' | '3' | 'may' | 'june'"),
        ("what is billing/reconcile.py?", "any", "'billing/reconcile.py'"),
        ("who is the", "any", None),
        ("", "any", None),
        ("&&& ||| !!! ((", "any", None),
        ("it's a \\ back'slash", "any", "'back' | 'slash'"),
        ('"night job" billing', "websearch", "'night' <-> 'job' & 'bill'"),
        ("billing -invoice", "websearch", "'bill' & !'invoic'"),
        ("red or blue", "websearch", "'red' | 'blue'"),
        ('an "unbalanced quote', "any", "'unbalanc' | 'quot'"),
    ],
)
def test_terms_of_a_query(db: psycopg.Connection, query: str, mode: str, terms: str | None) -> None:
    assert analyze(db, query) == (mode, terms, 0, "lexical-question-v2")


def test_terms_over_the_cap_are_ignored_and_counted(db: psycopg.Connection) -> None:
    mode, terms, ignored, _ = analyze(db, " ".join(f"term{number}" for number in range(100)))
    assert (mode, terms.count("|"), ignored) == ("any", 63, 36)


@pytest.mark.parametrize("query", ["x" * 8193, "word " * 10_000, "a " * 500_000])
def test_a_query_over_the_limit_is_refused(memory: Memory, fails: Callable, query: str) -> None:
    memory.read()
    fails("MH011", "select memhouse.search(%s)", query)


def test_operators_over_the_cap_are_refused(memory: Memory, fails: Callable) -> None:
    memory.read()
    fails("MH011", "select memhouse.search(%s)", " or ".join(f"t{number}" for number in range(200)))
