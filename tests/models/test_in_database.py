"""Models inside the server: the same answers as in the client, and nothing else that Python could do there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from memhouse_thin.core import Call, begin_read
from support.house import House

pytestmark = pytest.mark.tier("plpython3u")

STATEMENTS = (
    "The billing job runs at 02:00 UTC.",
    "Billing is owned by Dana.",
    "Invoices are sent on Mondays.",
    "The depot has eleven parking lots.",
    # Longer than the passage that a cascade's cross-encoder reads.
    "The depot is swept on Mondays and the lots are painted again in spring. " * 12 + "The sweepers go home at noon.",
)
QUESTION = "When does the billing job run?"


@pytest.fixture
def embedder(models: Path) -> Any:
    from memhouse_thin.models.onnx import OnnxEmbedder

    return OnnxEmbedder(models / "bge_small_en")


@pytest.fixture
def filled(modelled: House, embedder: Any) -> House:
    """Statements with vectors of the real model, which account acme searches."""
    identity = embedder.identity
    modelled.execute(
        "select memhouse.register_embedding_identity(%s, %s, %s, %s, %s)",
        identity.provider,
        identity.model,
        identity.version,
        identity.dimensions,
        identity.query_prefix,
    )
    modelled.execute("select memhouse.switch_embedding_identity('acme', %s, true)", identity.key)
    with modelled.client(embedder=embedder) as client:
        client.remember_many([{"statement": text, "scope": "acme", "sensitivity": "public"} for text in STATEMENTS])
    return modelled


def value(house: House, query: str, *parameters: object, credential: str = "bot") -> Any:
    """The first value of a query in a read posture, by a login role that may only read."""
    with psycopg.connect(house.as_user("app_reader")) as conn:
        conn.execute("select memhouse.begin_read(%s)", (house.tokens[credential],))
        return conn.execute(query, parameters or None).fetchone()[0]


def test_embeds_as_the_client_does(filled: House, embedder: Any) -> None:
    assert filled.execute("select memhouse.allow_model('bge_small_en')") == [("bge-small-en-v1.5@int8-68807e3f",)]
    for kind, prefix in (("query", embedder.identity.query_prefix), ("statement", "")):
        inside = np.array(value(filled, "select memhouse.embed(%s, %s)::real[]", QUESTION, kind))
        assert inside == pytest.approx(embedder(prefix + QUESTION), abs=1e-6)


def test_a_search_without_a_vector_embeds_in_the_server(filled: House, embedder: Any) -> None:
    with filled.client() as client:
        dropped = client.search(QUESTION, profile="fast").strategies.dropped
        assert [(item.name, item.reason_class) for item in dropped] == [("semantic", "dependency_unavailable")]
        filled.execute("select memhouse.allow_model('bge_small_en')")
        inside = client.search(QUESTION, profile="fast")
        assert [item.name for item in inside.strategies.contributed] == ["semantic"]
    with filled.client(embedder=embedder) as client:
        outside = client.search(QUESTION, profile="fast")
    assert [(hit.id, pytest.approx(hit.score, abs=1e-6)) for hit in outside] == [(hit.id, hit.score) for hit in inside]


@pytest.mark.parametrize("packed", [0, 2, 5])
def test_reranks_as_the_client_does(filled: House, embedder: Any, packed: int) -> None:
    from memhouse_thin.models.rerank import LocalRerankers

    local = LocalRerankers().load()
    filled.execute(
        "select memhouse.set_profile('acme', null, 'thorough', %s)",
        '{"reserved_rerank_ms": 15000, "deadline_ms": 30000}',
    )
    with filled.client(embedder=embedder, reranker=local) as client:
        client.pack_missing(local.late)
        filled.execute(
            "delete from memhouse.token_vectors where knowledge_id in"
            " (select knowledge_id from memhouse.token_vectors order by knowledge_id offset %s)",
            packed,
        )
        outside = client.search(QUESTION, profile="thorough", limit=2)
        for name in ("bge_small_en", "colbert", "reranker_en"):
            filled.execute("select memhouse.allow_model(%s)", name)
        inside = client.search(QUESTION, profile="thorough", limit=2)
    assert outside.rerank["model"] == inside.rerank["model"]
    assert outside.rerank["outcome"] == inside.rerank["outcome"] == "contributed"
    assert [hit.id for hit in inside] == [hit.id for hit in outside]
    for mine, other in zip(inside, outside, strict=True):
        assert mine.score == pytest.approx(other.score, abs=1e-6)
        assert mine.score_breakdown["rerank"].keys() == other.score_breakdown["rerank"].keys()
    assert inside[0].statement == STATEMENTS[0]


def test_rerank_sees_what_the_reader_sees(filled: House) -> None:
    for name in ("colbert", "reranker_en"):
        filled.execute("select memhouse.allow_model(%s)", name)
    with filled.client() as client:
        hidden = client.remember("Eli runs the billing job.", scope="acme", subject_peer="eli", sensitivity="personal")
    ids = [row[0] for row in filled.execute("select knowledge_id from memhouse.knowledge")]
    assert hidden in ids
    found = value(
        filled,
        "select array_agg(id order by score desc) from memhouse.rerank(%s, %s, 'cross_encoder', 20000)",
        QUESTION,
        ids,
        credential="dana",
    )
    assert len(found) == len(STATEMENTS) and hidden not in found


def test_rerank_alone_goes_by_its_models(filled: House) -> None:
    for name in ("colbert", "reranker_en"):
        filled.execute("select memhouse.allow_model(%s)", name)
    ids = [row[0] for row in filled.execute("select knowledge_id from memhouse.knowledge order by statement desc")]
    best = value(filled, "select id from memhouse.rerank(%s, %s, 'cascade', 20000) limit 1", QUESTION, ids)
    assert filled.execute("select statement from memhouse.knowledge where knowledge_id = %s", best) == [
        (STATEMENTS[0],)
    ]
    assert value(filled, "select count(*) from memhouse.rerank(%s, '{}', 'cascade', 20000)", QUESTION) == 0


def test_only_what_is_on_the_list_is_opened(filled: House) -> None:
    for name, state in (("../bge_small_en", "MH010"), ("/etc", "MH010"), ("", "MH010"), (None, "MH010")):
        with pytest.raises(psycopg.Error) as caught:
            filled.execute("select memhouse.allow_model(%s)", name)
        assert caught.value.sqlstate == state
    with pytest.raises(psycopg.Error, match="holds no model"):
        filled.execute("select memhouse.allow_model('nothing_here')")
    with pytest.raises(psycopg.Error) as caught:
        value(filled, "select memhouse.embed('x')")
    assert caught.value.sqlstate == "MH025"
    filled.execute("select memhouse.allow_model('bge_small_en')")
    filled.execute("select memhouse.forbid_model('bge_small_en')")
    with pytest.raises(psycopg.Error) as caught:
        value(filled, "select memhouse.embed('x')")
    assert caught.value.sqlstate == "MH025"


def test_readers_and_administrators_reach_no_python_but_this(filled: House) -> None:
    open_to = filled.execute(
        """select p.proname, array(select r from unnest(array['memhouse_reader', 'memhouse_writer', 'memhouse_analyst', 'memhouse_internal',
                                          'memhouse_admin', 'memhouse_jobs', 'memhouse_strategy', 'memhouse_gate']) as r
                                   where has_function_privilege(r, p.oid, 'execute') order by r)
           from pg_proc as p join pg_language as l on l.oid = p.prolang
           where l.lanname = 'plpython3u' and p.pronamespace = 'memhouse'::regnamespace order by 1"""
    )
    nobody: list[str] = []
    assert open_to == [
        ("_py_describe", nobody),
        ("_py_embed", nobody),
        ("_py_rerank", nobody),
        (
            "model_status",
            ["memhouse_admin", "memhouse_analyst", "memhouse_internal", "memhouse_reader", "memhouse_writer"],
        ),
    ]
    for role in ("memhouse_admin", "memhouse_internal"):
        (allowed,) = filled.execute(
            f"select has_function_privilege('{role}', 'memhouse.set_model_host(text, text)', 'execute')"
        )
        assert allowed == (False,)


def test_memory_is_bounded_and_reported(filled: House) -> None:
    for name in ("bge_small_en", "colbert", "reranker_en"):
        filled.execute("select memhouse.allow_model(%s)", name)
    ids = [row[0] for row in filled.execute("select knowledge_id from memhouse.knowledge")]
    with filled.client() as client:
        begin = begin_read(filled.tokens["bot"])

        def loaded() -> list[str]:
            client._call(begin, Call("select memhouse.embed('x')"))
            client._call(begin, Call("select * from memhouse.rerank('x', %(ids)s, 'cascade', 20000)", {"ids": ids}))
            return [row[0] for row in client._call(begin, Call("select * from memhouse.model_status()"))]

        assert loaded() == ["bge_small_en", "colbert", "reranker_en"]
        filled.execute("select memhouse.set_server_setting('model_memory_mb', 1)")
        with filled.client() as second:
            second._call(begin, Call("select memhouse.embed('x')"))
            second._call(
                begin, Call("select * from memhouse.rerank('x', %(ids)s, 'late_interaction', 20000)", {"ids": ids})
            )
            assert [row[0] for row in second._call(begin, Call("select * from memhouse.model_status()"))] == ["colbert"]


def test_a_library_that_is_not_there_costs_the_vector_only(filled: House) -> None:
    filled.execute("select memhouse.allow_model('bge_small_en')")
    filled.execute("update memhouse.model_host set library = '/nowhere'")
    with filled.client() as client:
        result = client.search("billing")
    assert {item.name: item.reason_class for item in result.strategies.dropped} == {
        "semantic": "dependency_unavailable"
    }
    assert len(result) == 2


@pytest.mark.parametrize("level", ["log", "debug5"])
def test_what_a_failing_model_says_is_for_the_servers_log(filled: House, level: str) -> None:
    """A reader that listens to everything hears that a model failed, and nothing of where the server keeps it."""
    for name in ("bge_small_en", "colbert", "reranker_en"):
        filled.execute("select memhouse.allow_model(%s)", name)
    filled.execute("update memhouse.model_host set library = '/whispered/library'")
    heard: list[str] = []
    with psycopg.connect(filled.as_user("app_reader")) as conn:
        conn.add_notice_handler(lambda notice: heard.append(told(notice)))
        conn.execute(f"set client_min_messages = {level}")
        conn.execute("select memhouse.begin_read(%s)", (filled.tokens["bot"],))
        (report,) = conn.execute(
            "select memhouse.search_report('billing', p_profile => 'thorough', p_deadline_ms => 30000)"
        ).fetchone()
        reasons = {item["name"]: item["reason_class"] for item in report["strategies"]["dropped"]}
        assert reasons["semantic"] == "dependency_unavailable"
        assert (report["rerank"]["outcome"], report["rerank"]["reason_class"]) == ("dropped", "failed")
    assert heard or level == "log"
    for words in ("whispered", "memhouse_thin", "Traceback", "ModuleNotFoundError", "failed with"):
        assert not [message for message in heard if words in message]


@pytest.mark.parametrize("call", ["select memhouse.embed('x')", "select * from memhouse.rerank('x', '{%s}')"])
def test_a_model_that_fails_is_missing_to_whoever_calls_it(filled: House, call: str) -> None:
    for name in ("bge_small_en", "colbert", "reranker_en"):
        filled.execute("select memhouse.allow_model(%s)", name)
    filled.execute("update memhouse.model_host set library = '/whispered/library'")
    ids = ",".join(str(row[0]) for row in filled.execute("select knowledge_id from memhouse.knowledge"))
    with pytest.raises(psycopg.Error) as caught:
        value(filled, call % ids if "%s" in call else call)
    assert caught.value.sqlstate == "MH025"
    for words in ("whispered", "Traceback", "ModuleNotFoundError", "_py_"):
        assert words not in told(caught.value.diag)


def told(diagnostic: psycopg.errors.Diagnostic) -> str:
    """Everything that a message of the server tells."""
    fields = (diagnostic.message_primary, diagnostic.message_detail, diagnostic.message_hint, diagnostic.context)
    return " ".join(field or "" for field in fields)
