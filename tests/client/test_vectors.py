"""A vector goes to the server in binary form, and is there what it would be as text."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from memhouse_thin import AsyncClient, Client, SearchResult, core
from support.house import House, WordEmbedder

NOTES = ["The billing job runs at two.", "The office closes at six.", "Invoices are paid on Monday."]
QUESTION = "when are the invoices paid"
#: What PostgreSQL reads: single precision, as every model gives it.
SINGLE = array("f", [0.1, -1 / 3, 1e-30, -3.4028234e38, 1e-45, 16_777_217, 0.0, 12345.678]).tolist()


@pytest.fixture(scope="module", autouse=True)
def furnished(house: House) -> None:
    with house.client("dana", embedder=WordEmbedder()) as client:
        client.remember_many({"statement": note, "scope": "acme", "source_key": note} for note in NOTES)


def told(report: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """The answer, without what time alone changes: recency is among the signals of the score."""
    return [
        (hit["statement"], hit["fusion_score"], hit["score_breakdown"]["strategies"]) for hit in report["candidates"]
    ]


def told_for_text(house: House, vector: str) -> list[tuple[str, Any, Any]]:
    """The answer to the same question, asked in plain SQL with the vector as text."""
    with psycopg.connect(house.as_user("app_writer"), autocommit=True) as conn, conn.transaction():
        conn.execute("select memhouse.begin_read(%s)", (house.tokens["dana"],))
        (report,) = conn.execute("select memhouse.search_report(%s, %s)", (QUESTION, vector)).fetchone()
    answer = told(report)
    assert len(answer) == len(NOTES) and all("semantic" in strategies for _, _, strategies in answer)
    return answer


@pytest.mark.parametrize("numbers", [SINGLE, [random.Random(7).gauss(0, 1) for _ in range(384)], [1e-50, -1.5, 7]])
def test_the_server_reads_the_same_numbers(house: House, numbers: Sequence[float]) -> None:
    # Text is rounded twice, to nine digits and then to single precision; here it shall have nothing to round first.
    numbers = np.array(numbers, dtype=np.float32).tolist()
    with psycopg.connect(house.dsn) as conn:
        core.send_vectors(conn)
        same = conn.execute(
            "select sent.vec::vector::text = %s::vector::text from (select %s::vector) as sent (vec)",
            (core.vector_text(numbers), core.as_vector(numbers)),
        ).fetchone()
    assert same == (True,)


@pytest.mark.parametrize(
    "of", [list, tuple, np.array, lambda v: np.array(v, dtype=np.float32), lambda v: array("f", v)]
)
@pytest.mark.parametrize("prepare_threshold", [None, 0])
def test_the_answer_is_that_for_text(house: House, of: Callable[[Any], Any], prepare_threshold: int | None) -> None:
    vector = of(array("f", WordEmbedder()(QUESTION)).tolist())
    expected = told_for_text(house, core.vector_text(vector))
    with house.client("dana", prepare_threshold=prepare_threshold) as client:
        for _ in range(2):
            assert told(client.search(QUESTION, embedding=vector).report) == expected
        # The same statement without one, and with one again.
        assert "semantic" not in {item.name for item in client.search(QUESTION).strategies.contributed}
        assert told(client.search(QUESTION, embedding=vector).report) == expected


def test_the_asynchronous_client_sends_them_alike(house: House) -> None:
    vector = array("f", WordEmbedder()(QUESTION)).tolist()

    async def ask() -> SearchResult:
        async with AsyncClient(house.as_user("app_writer"), credential=house.tokens["dana"]) as client:
            return await client.search(QUESTION, embedding=vector)

    assert told(asyncio.run(ask()).report) == told_for_text(house, core.vector_text(vector))


def test_a_statement_is_stored_with_the_same_vector(own_house: House) -> None:
    vector = array("f", WordEmbedder()("Both are the same.")).tolist()
    with own_house.client("dana") as client:
        ids = client.remember_many(
            [
                {"statement": "Given with it.", "scope": "acme", "embedding": vector},
                {"statement": "Given later.", "scope": "acme"},
                {"statement": "Given as text.", "scope": "acme"},
            ]
        )
        client.store_embedding(ids[1], np.array(vector))
    with psycopg.connect(own_house.as_user("app_writer"), autocommit=True) as conn, conn.transaction():
        conn.execute("select memhouse.begin_write(%s)", (own_house.tokens["dana"],))
        conn.execute("select memhouse.store_embedding(%s, %s)", (ids[2], core.vector_text(vector)))
    assert own_house.execute("select count(*), count(distinct vec::text) from memhouse.embedding") == [(3, 1)]


def test_a_connection_older_than_the_import(house: House) -> None:
    """It has its own copy of what psycopg could send when it was opened."""
    program = """
import json, sys
import psycopg
dsn, token, question, vector = json.load(sys.stdin)
with psycopg.connect(dsn, autocommit=True) as conn:
    conn.adapters
    from memhouse_thin import Client
    result = Client(conn, credential=token).search(question, embedding=vector)
print(json.dumps(result.report))
"""
    asked = [house.as_user("app_writer"), house.tokens["dana"], QUESTION, WordEmbedder()(QUESTION)]
    done = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert told(json.loads(done.stdout)) == told_for_text(house, core.vector_text(asked[-1]))


def test_nobody_else_names_the_type(house: House) -> None:
    """A tenant before on this connection left types of that name, and a path that finds them first."""
    dsn = make_conninfo(house.as_user("app_writer"), options="-c search_path=pg_temp")
    vector = WordEmbedder()(QUESTION)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create domain pg_temp.vector as pg_catalog.text check (false)")
        result = Client(conn, credential=house.tokens["dana"]).search(QUESTION, embedding=vector)
    assert told(result.report) == told_for_text(house, core.vector_text(vector))
