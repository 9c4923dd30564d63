"""Reranking in the client: the blend, the deadline, and what fails; with real models and with plain callables."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import pytest

from memhouse_thin import AsyncClient
from memhouse_thin.errors import RerankerFailed
from memhouse_thin.models import MANIFEST, ModelError
from memhouse_thin.results import Document, SearchResult
from support.house import House

STATEMENTS = (
    "The billing job runs at 02:00 UTC.",
    "Billing is owned by Dana.",
    "Billing questions go to the billing desk.",
    "The billing van has eleven seats.",
    "Billing, billing, billing: a song.",
)
QUESTION = "When does the billing job run?"


def by_length(query: str, texts: Sequence[str]) -> list[float]:
    return [float(len(text)) for text in texts]


@pytest.fixture(scope="module")
def billing(house: House) -> House:
    with house.client() as client:
        client.remember_many(
            [{"statement": text, "scope": "acme", "sensitivity": "public", "source_key": text} for text in STATEMENTS]
        )
    return house


def ask(house: House, reranker: object, profile: str = "thorough", **options: object) -> SearchResult:
    with house.client(reranker=reranker) as client:
        return client.search(QUESTION, profile=profile, **options)


def test_without_a_reranker_the_answer_says_so(billing: House) -> None:
    result = ask(billing, None)
    assert len(result) == 5
    assert (result.rerank["outcome"], result.rerank["reason_class"]) == ("dropped", "dependency_unavailable")


def test_a_profile_without_reranking_asks_nobody(billing: House) -> None:
    def never(query: str, texts: Sequence[str]) -> list[float]:
        raise AssertionError

    result = ask(billing, never, profile="balanced")
    assert "outcome" not in result.rerank and len(result) == 5


def test_the_blend_and_its_stages(billing: House) -> None:
    billing.execute(
        "select memhouse.set_profile('acme', null, 'blend', %s)",
        '{"rerank_head": 50, "rerank_weight": 0.6, "reserved_rerank_ms": 15000, "deadline_ms": 30000}',
    )
    before, after = ask(billing, None, profile="blend"), ask(billing, by_length, profile="blend")
    told = after.rerank
    assert (told["outcome"], told["model"], told["scored"], told["reason_class"]) == (
        "contributed",
        "by_length",
        5,
        None,
    )
    weight = told["weight"]
    assert weight == 0.6
    scores = {hit.id: hit.score for hit in before}
    low, high = min(scores.values()), max(scores.values())
    lengths = [len(hit.statement) for hit in before]
    for hit in after:
        second = (len(hit.statement) - min(lengths)) / (max(lengths) - min(lengths))
        first = (scores[hit.id] - low) / (high - low)
        stage = hit.score_breakdown["rerank"]
        assert stage["normalised"] == pytest.approx(second)
        # A little age lies between the two reads.
        assert stage["before"] == pytest.approx(scores[hit.id])
        assert hit.score == pytest.approx(low + (high - low) * (weight * second + (1 - weight) * first), rel=1e-5)
        assert hit.score_breakdown["score"] == hit.score
    assert [hit.rank for hit in after] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
    assert after.report["candidates"][0]["id"] == str(after[0].id)
    assert "more" not in after.rerank


def test_looks_beyond_the_page(billing: House) -> None:
    result = ask(billing, by_length, limit=1)
    assert [hit.statement for hit in result] == [max(STATEMENTS, key=len)]
    assert result.rerank["scored"] == 5


def test_a_deadline_keeps_what_was_scored(billing: House) -> None:
    def slow(query: str, texts: Sequence[str]) -> list[float]:
        time.sleep(0.4)
        return by_length(query, texts)

    with billing.client() as client:
        extra = [f"Billing remark number {number}." for number in range(20)]
        client.remember_many(
            [
                {"statement": text, "scope": "acme/billing", "sensitivity": "public", "source_key": text}
                for text in extra
            ]
        )
    plain = ask(billing, None, scope="acme/billing", limit=25)
    result = ask(billing, slow, scope="acme/billing", limit=25)
    scored = result.rerank["scored"]
    assert 0 < scored < 25 and result.rerank["outcome"] == "contributed"
    assert {hit.id for hit in result[:scored]} == {hit.id for hit in plain[:scored]}
    assert [hit.id for hit in result[scored:]] == [hit.id for hit in plain[scored:]]


BAD = {
    "raises": lambda query, texts: 1 / 0,
    "NaN": lambda query, texts: [float("nan")] * len(texts),
    "too few": lambda query, texts: [],
    "no numbers": lambda query, texts: ["x"] * len(texts),
}


@pytest.mark.parametrize("case", BAD)
def test_a_failing_reranker_costs_the_order_only(billing: House, case: str) -> None:
    plain, result = ask(billing, None), ask(billing, BAD[case])
    assert [hit.id for hit in result] == [hit.id for hit in plain]
    assert (result.rerank["outcome"], result.rerank["reason_class"]) == ("dropped", "failed")
    with billing.client(reranker=BAD[case], strict=True) as client, pytest.raises(RerankerFailed):
        client.search(QUESTION, profile="thorough")


def test_awaited_alike(billing: House) -> None:
    async def search() -> SearchResult:
        async with AsyncClient(
            billing.as_user("app_writer"), credential=billing.tokens["bot"], deadline_ms=30_000, reranker=by_length
        ) as client:
            return await client.search(QUESTION, profile="thorough")

    assert [hit.id for hit in asyncio.run(search())] == [hit.id for hit in ask(billing, by_length)]


# With the models ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def local(models: Path):
    from memhouse_thin.models.rerank import LocalRerankers

    return LocalRerankers().load()


@pytest.mark.parametrize("kind", ["cross_encoder", "late_interaction", "cascade"])
def test_the_best_answer_comes_first(billing: House, local, kind: str) -> None:
    billing.execute("select memhouse.set_profile('acme', null, %s, %s)", kind, json.dumps({"reranker": kind}))
    billing.execute(
        "select memhouse.set_profile('acme', null, %s, %s)",
        kind,
        '{"rerank_head": 50, "rerank_weight": 1, "reserved_rerank_ms": 15000, "deadline_ms": 30000}',
    )
    result = ask(billing, local, profile=kind)
    assert result[0].statement == STATEMENTS[0]
    assert result.rerank["model"] == local.for_kind(kind).name
    assert result.rerank["outcome"] == "contributed"


def test_stored_token_vectors_give_the_same_scores(own_house: House, local) -> None:
    with own_house.client() as client:
        ids = client.remember_many(
            [{"statement": text, "scope": "acme", "sensitivity": "public"} for text in STATEMENTS]
        )
        assert client.pack_missing(local.late, batch=2) == len(STATEMENTS)
        assert client.pack_missing(local.late) == 0
    stored = dict(own_house.execute("select knowledge_id, bits from memhouse.token_vectors"))
    documents = [Document(text, stored[id]) for id, text in zip(ids, STATEMENTS, strict=True)]
    until = time.monotonic() + 60
    fresh = local.late.score(QUESTION, [Document(text) for text in STATEMENTS], until)
    assert local.late.score(QUESTION, documents, until) == pytest.approx(fresh)
    # 48 bytes a token.
    assert all(len(bits) % 48 == 0 for bits in stored.values())


FILLER = "The van is washed, the desk is tidied and the song is sung again by the people of the third floor. "


def test_of_a_long_statement_the_passage_that_answers_is_read(local) -> None:
    long = FILLER * 8 + STATEMENTS[0] + " " + FILLER * 8
    asked = local.late.tokens(QUESTION)
    passage, share = local.late.passage(asked, long, local.late.pack(long))
    assert STATEMENTS[0] in passage and passage in long
    tokens = len(local.late.spans(long)) - 2
    assert share == pytest.approx(128 / tokens) and tokens > 256
    assert len(local.late.spans(passage)) - 2 == 128
    for short in (STATEMENTS[0], FILLER * 5):
        assert local.late.passage(asked, short, local.late.pack(short)) == (short, 1.0)


def test_a_cascade_adds_its_parts(local) -> None:
    from memhouse_thin.models import rerank

    texts = [*STATEMENTS, FILLER * 8 + STATEMENTS[0], *(f"Billing remark number {number}." for number in range(14))]
    documents = [Document(text, score=0.5 - place / 100) for place, text in enumerate(texts)]
    until = time.monotonic() + 60
    scores = local.for_kind("cascade").score(QUESTION, documents, until)
    late = rerank.spread(local.late.score(QUESTION, documents, until))
    before = rerank.spread([document.score for document in documents])
    first = [rerank.LATE_SHARE * a + (1 - rerank.LATE_SHARE) * b for a, b in zip(late, before, strict=True)]
    read = sorted(range(len(texts)), key=lambda place: -first[place])[: rerank.CASCADE_HEAD]
    assert 0 < len(read) < len(texts) and {0, 5} <= set(read)
    asked = local.late.tokens(QUESTION)
    parts = [local.late.passage(asked, texts[place], local.late.pack(texts[place])) for place in read]
    verdicts = rerank.spread(local.cross.score(QUESTION, [Document(text) for text, _ in parts], until))
    expected = [(1 - rerank.CROSS_SHARE) * score for score in first]
    for place, verdict, (_, share) in zip(read, verdicts, parts, strict=True):
        assert (share < 1) == (place == 5)
        expected[place] += rerank.CROSS_SHARE * (share**2 * verdict + (1 - share**2) * first[place])
    assert scores == pytest.approx(expected)
    assert max(range(len(texts)), key=scores.__getitem__) == 0


def test_a_cascade_goes_on_without_the_cross_encoder(local) -> None:
    from memhouse_thin.models import rerank

    class Hurried(rerank.CrossEncoder):
        """Never has time."""

        def __init__(self) -> None:
            self.__dict__ = local.cross.__dict__

        def score(self, query: str, documents: Sequence[Document], until: float) -> list[float]:
            return super().score(query, documents, time.monotonic())

    documents = [Document(text, local.late.pack(text)) for text in STATEMENTS]
    scores = rerank.Cascade(local.late, Hurried()).score(QUESTION, documents, time.monotonic() + 60)
    late = local.late.score(QUESTION, documents, time.monotonic() + 60)
    assert sorted(range(5), key=scores.__getitem__) == sorted(range(5), key=late.__getitem__)


def test_token_vectors_follow_the_reader_and_go_with_the_statement(own_house: House) -> None:
    with own_house.client() as client:
        seen = client.remember("Dana likes tea.", scope="acme", sensitivity="public")
        hidden = client.remember("Eli has a secret.", scope="acme", subject_peer="eli", sensitivity="personal")
    own_house.execute(
        "insert into memhouse.token_vectors select account_id, knowledge_id, 'm@1', 'x' from memhouse.knowledge"
    )

    def visible(credential: str, ids: list[UUID]) -> set[UUID]:
        from memhouse_thin import core

        with own_house.client(credential) as client:
            rows = client._call(core.begin_read(own_house.tokens[credential]), core.rerank_vectors(ids, "m@1"))
            return {row[0] for row in rows}

    assert visible("dana", [seen, hidden]) == {seen}
    assert visible("dana", [seen, seen]) == {seen}
    with own_house.client() as client:
        client.erase(seen)
    assert own_house.execute("select count(*) from memhouse.token_vectors")[0][0] == 1


def test_vectors_of_another_model_are_refused(local) -> None:
    with pytest.raises(ModelError, match="not of answerai"):
        local.late.score("x", [Document("x", b"abc")], time.monotonic() + 60)


# Broken models ----------------------------------------------------------------------------------------------------


@pytest.fixture
def copy(models: Path, tmp_path: Path) -> Path:
    shutil.copytree(models / "bge_small_en", tmp_path / "model")
    return tmp_path / "model"


def without_digests(folder: Path, **changes: object) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    del manifest["files"]
    (folder / MANIFEST).write_text(json.dumps({**manifest, **changes}))


def load(folder: Path):
    from memhouse_thin.models.onnx import OnnxEmbedder

    return OnnxEmbedder(folder)


def test_a_missing_file(copy: Path) -> None:
    (copy / "model.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        load(copy)


def test_a_wrong_checksum(copy: Path) -> None:
    with (copy / "tokenizer.json").open("a") as file:
        file.write(" ")
    with pytest.raises(ModelError, match=r"tokenizer\.json is damaged"):
        load(copy)


def test_a_corrupt_model(copy: Path) -> None:
    without_digests(copy)
    (copy / "model.onnx").write_bytes((copy / "model.onnx").read_bytes()[:100_000])
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(copy)


def test_a_tokenizer_of_another_model(copy: Path) -> None:
    without_digests(copy)
    tokenizer = json.loads((copy / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    vocabulary["hello"] = 90_000
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ModelError, match="another model"):
        load(copy)("hello")


def test_another_dimension(copy: Path) -> None:
    without_digests(copy, dimensions=768)
    with pytest.raises(ModelError, match="its manifest says 768"):
        load(copy)("hello")


def test_a_broken_manifest(copy: Path) -> None:
    (copy / MANIFEST).write_text('{"kind": ')
    with pytest.raises(ModelError, match="holds no model"):
        load(copy)
