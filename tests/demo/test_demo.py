"""The demo, end to end: three readers, three answers, and running it again changes nothing."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import click
import psycopg
import pytest

from memhouse_thin import demo
from memhouse_thin.demo.company import DANA, HELP, LENA, OMAR, Answer
from memhouse_thin.models import find_model

NIGHT, PAID = (question for question, _ in demo.company.QUESTIONS)


@pytest.fixture
def without_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMHOUSE_MODELS", str(tmp_path))


def by_reader(answers: Iterable[Answer], question: str) -> dict[str, Answer]:
    return {answer.reader.name: answer for answer in answers if answer.question == question}


def statements(answer: Answer) -> list[str]:
    return [hit.statement for hit in answer.result]


def test_the_corpus_shows_everything_a_statement_can_be() -> None:
    lines = [json.loads(line) for line in (files("memhouse_thin.demo") / "corpus.jsonl").read_text().splitlines()]
    types = Counter(line["type"] for line in lines)
    assert types["knowledge"] >= 150 and types["observation"] == 40 and 6 <= types["peer"] <= 8
    knowledge = [line for line in lines if line["type"] == "knowledge"]
    assert {line["kind"] for line in knowledge} == {
        "fact",
        "preference",
        "event",
        "relation",
        "skill",
        "lesson",
        "decision",
        "policy",
    }
    assert {line["sensitivity"] for line in knowledge} == {"public", "internal", "personal", "restricted"}
    assert {line["relation"] for line in lines if line["type"] == "relation"} == {
        "contradicts",
        "derived_from",
        "supersedes",
        "supports",
        "caused_by",
    }
    assert {source for line in knowledge for source in line.get("sources", ())} == {
        line["source_key"] for line in lines if line["type"] == "observation"
    }


@pytest.mark.usefixtures("without_models")
def test_the_same_question_has_three_answers(fresh_database: str) -> None:
    shown = demo.run(fresh_database)
    assert shown.model is None and shown.without_model

    night = by_reader(shown.answers, NIGHT)
    for one, other in pairwise([night[DANA.name], night[OMAR.name], night[HELP.name], night[DANA.name]]):
        assert statements(one) != statements(other)
    assert {hit.sensitivity for hit in night[HELP.name].result} == {"public"}

    paid = by_reader(shown.answers, PAID)
    assert "650 euro" in statements(paid[LENA.name])[0]
    assert not any("650" in text for reader in (DANA, HELP) for text in statements(paid[reader.name]))

    for answer in shown.answers:
        assert [item.name for item in answer.result.strategies.dropped] == ["semantic"]
        for hit in answer.result:
            assert hit.sensitivity != "personal" or hit.subject_peer == answer.reader.peer_key


@pytest.mark.usefixtures("without_models")
def test_a_second_run_stores_nothing_twice(fresh_database: str) -> None:
    first, second = demo.run(fresh_database), demo.run(fresh_database)
    assert first.imported.knowledge.new == 150
    assert second.imported.knowledge.new == second.imported.observations.new == second.imported.scopes.new == 0
    for one, other in zip(first.answers, second.answers, strict=True):
        assert statements(one) == statements(other)


def test_a_model_that_comes_later_embeds_what_is_there(
    fresh_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if find_model() is None:
        pytest.skip("no models here (make models)")
    with monkeypatch.context() as patch:
        patch.setenv("MEMHOUSE_MODELS", str(tmp_path))
        demo.run(fresh_database)
    shown = demo.run(fresh_database)
    assert shown.model == "bge-small-en-v1.5"
    for answer in shown.answers:
        assert {item.name for item in answer.result.strategies.contributed} >= {"semantic", "lexical"}
        assert not answer.result.strategies.dropped
    with psycopg.connect(fresh_database) as conn:
        conn.execute("select memhouse.begin_internal('kestrel')")
        assert conn.execute("select count(*) from memhouse.unembedded()").fetchone() == (0,)
    night = by_reader(shown.answers, NIGHT)
    assert any("phoned" in text for text in statements(night[DANA.name]))
    assert "no phone calls at night" in statements(night[OMAR.name])[0]


@pytest.mark.usefixtures("without_models")
def test_the_page_tells_who_was_told_what_and_its_commands_work(fresh_database: str) -> None:
    shown = demo.run(fresh_database)
    text = click.unstyle(demo.page(shown, width=100))
    for answer in shown.answers:
        assert answer.question in text and answer.reader.who in text
    *_, first, second, third = text.splitlines()
    for command in (first, second, third):
        program, *arguments = shlex.split(command)
        assert arguments[0] in ("search", "remember")
        beside = Path(sys.executable).parent / Path(program).name
        found = str(beside) if beside.exists() else shutil.which(program)
        assert found, f"{program} is not installed"
        done = subprocess.run([found, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()
    assert json.loads(json.dumps(shown.to_json()))["answers"][0]["candidates"]
