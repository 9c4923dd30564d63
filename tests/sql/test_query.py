"""How a query is read: terms, boilerplate, operators, limits."""

from __future__ import annotations

import random
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


#: Words that a tsquery writes with care: quotes, backslashes, a word beyond what the index keeps, the longest there is.
WORDS = [
    "red",
    "it's",
    "back\\slash",
    "''",
    "\\'",
    "x" * 199,
    "x" * 200,
    "x" * 201,
    "y" * 2046,
    "é" * 1000,
    "漢字",
    "1",
]


def quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


@pytest.mark.parametrize("seed", range(8))
def test_the_index_is_asked_for_what_the_query_matches_among_the_readers_audiences(
    db: psycopg.Connection, seed: int
) -> None:
    """Random queries over random texts: all that the query matches is found, nothing of another audience is."""
    chance = random.Random(seed)
    bounded = chance.sample(WORDS, 4)

    def query(depth: int) -> str:
        if depth == 0:
            return quoted(chance.choice(bounded))
        operator = chance.choice(["&", "|", "<->", "<3>", "!"])
        if operator == "!":
            return f"!({query(depth - 1)})"
        return f"({query(depth - 1)} {operator} {query(depth - 1)})"

    mine = list(range(1, 131))
    for _ in range(30):
        asked = query(chance.choice([0, 1, 2]))
        texts = [
            (chance.choice([0, 1, 64, 65, 130, 131, -1]), " ".join(
                f"{quoted(word)}:{place}" for place, word in enumerate(chance.sample(bounded, chance.randint(0, 4)), 1)))
            for _ in range(20)
        ]  # fmt: skip
        rows = db.execute(
            """select t.audience, t.text::tsvector @@ q.terms, (
                   select count(*) from memhouse.within_audiences(q.terms, %s) as w where memhouse._audience_words(t.audience, t.text::tsvector) @@ w)
               from unnest(%s::bigint[], %s::text[]) as t (audience, text), (select %s::tsquery as terms) as q""",
            (mine, [audience for audience, _ in texts], [text for _, text in texts], asked),
        ).fetchall()
        simple = "<" not in asked and "!" not in asked and not any(len(word) > 199 for word in bounded)
        for audience, matches, found in rows:
            if audience not in mine:
                assert found == 0
            elif matches or simple:
                assert found == int(matches), asked


def test_a_statement_of_the_longest_words_is_stored_and_found(memory: Memory) -> None:
    memory.write()
    memory.remember(f"The key is {'k' * 2046}.")
    memory.remember(f"The other key is {'k' * 2045}.")
    memory.read()
    assert memory.statements("k" * 2046) == [f"The key is {'k' * 2046}."]
