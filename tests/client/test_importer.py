"""Files into the database: each format, each way to fail, and never anything twice."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest

from memhouse_thin import errors
from memhouse_thin.importer import ImportFailed, ImportReport, import_file, read_locomo
from support.house import House, WordEmbedder

COUNTS = (
    "select (select count(*) from memhouse.observation), (select count(*) from memhouse.knowledge),"
    " (select count(*) from memhouse.relation), (select count(*) from memhouse.embedding)"
)

LINES = [
    {"type": "scope", "scope": "acme/ops", "parent": "acme"},
    {"type": "scope", "scope": "acme/billing", "parent": "acme"},
    {"type": "peer", "peer_key": "finn", "display_name": "Finn Hale"},
    {
        "type": "knowledge",
        "scope": "acme/ops",
        "statement": "Backups run hourly.",
        "sources": ["m-1"],
        "source_key": "k-1",
    },
    {
        "type": "observation",
        "source_key": "m-1",
        "scope": "acme/ops",
        "content": "Backups are hourly now.",
        "peer_key": "finn",
        "occurred_at": "2024-05-01T10:00:00Z",
        "session_key": "s-1",
        "sensitivity": None,
        "metadata": {"channel": "ops"},
    },
    {
        "type": "knowledge",
        "source_key": "k-2",
        "scope": "acme/ops",
        "statement": "Backups run daily.",
        "kind": "policy",
        "confidence": 0.5,
        "relevant_from": "2020-01-01T00:00:00Z",
        "relevant_until": "2024-05-01T00:00:00Z",
    },
    {"type": "relation", "from": "k-1", "to": "k-2", "relation": "supersedes"},
    {"type": "observation", "scope": "acme", "content": "No key of its own."},
]


def write(folder: Path, lines: list[object]) -> Path:
    file = folder / "memory.jsonl"
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return file


def run(house: House, file: Path, **options: object) -> ImportReport:
    return import_file(house.dsn, file, credential=house.tokens["bot"], **options)


def test_every_type_and_nothing_twice(own_house: House, tmp_path: Path) -> None:
    file = write(tmp_path, ["", *LINES, "  "])
    steps: list[tuple[int, int]] = []
    report = run(own_house, file, embedder=WordEmbedder(), progress=lambda done, total: steps.append((done, total)))
    assert (report.scopes.new, report.scopes.existing, report.peers.new) == (1, 1, 1)
    assert (report.observations.new, report.knowledge.new, report.relations, report.vectors) == (2, 2, 1, 2)
    assert own_house.execute(COUNTS) == [(2, 2, 1, 2)]
    assert steps[-1] == (10, 10) and steps == sorted(steps)
    sources = "select observation_id from memhouse.knowledge_source"
    assert own_house.execute(sources) == own_house.execute(
        "select observation_id from memhouse.observation where source_key = 'm-1'"
    )
    again = run(own_house, file, embedder=WordEmbedder())
    assert (again.observations.existing, again.knowledge.existing, again.knowledge.new) == (2, 2, 0)
    assert own_house.execute(COUNTS) == [(2, 2, 1, 2)]


BAD_LINES: dict[str, tuple[object, type[errors.MemhouseError], str | None]] = {
    "no JSON": ("{", errors.ArgumentInvalid, None),
    "no object": ("[1]", errors.ArgumentInvalid, None),
    "no type": ({"scope": "acme"}, errors.ArgumentInvalid, "type"),
    "odd type": ({"type": "rumour"}, errors.ArgumentInvalid, "type"),
    "odd field": ({"type": "peer", "peer_key": "x", "age": 3}, errors.ArgumentInvalid, "age"),
    "no content": ({"type": "observation", "scope": "acme"}, errors.ArgumentInvalid, "content"),
    "wrong value": ({"type": "peer", "peer_key": 7}, errors.ArgumentInvalid, "peer_key"),
    "metadata": (
        {"type": "observation", "scope": "acme", "content": "x", "metadata": []},
        errors.ArgumentInvalid,
        "metadata",
    ),
    "NUL": ({"type": "observation", "scope": "acme", "content": "a\x00"}, errors.ArgumentInvalid, "content"),
    "scope": ({"type": "observation", "scope": "nowhere", "content": "x"}, errors.ScopeUnknown, "scope"),
    "peer": ({"type": "observation", "scope": "acme", "content": "x", "peer_key": "no"}, errors.PeerUnknown, None),
    "time": (
        {"type": "observation", "scope": "acme", "content": "x", "occurred_at": "soon"},
        errors.ArgumentInvalid,
        None,
    ),
    "kind": (
        {"type": "knowledge", "scope": "acme", "statement": "x", "kind": "rumour"},
        errors.ArgumentInvalid,
        "kind",
    ),
    "source": (
        {"type": "knowledge", "scope": "acme", "statement": "x", "sources": ["?"]},
        errors.ArgumentInvalid,
        "sources",
    ),
    "relation": ({"type": "relation", "from": "a", "to": "b", "relation": "supports"}, errors.ArgumentInvalid, "from"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_failure_at_line_900_stores_nothing(own_house: House, tmp_path: Path, case: str) -> None:
    bad, cls, field = BAD_LINES[case]
    lines: list[object] = [{"type": "observation", "scope": "acme", "content": f"Message {n}."} for n in range(1000)]
    lines[899] = bad
    with pytest.raises(ImportFailed) as caught:
        run(own_house, write(tmp_path, lines))
    failed = caught.value
    assert (failed.line, failed.field, failed.stored) == (900, field, 0)
    assert isinstance(failed.cause, cls)
    assert "memory.jsonl, line 900" in failed.message
    assert own_house.execute(COUNTS) == [(0, 0, 0, 0)]


def test_batches_are_kept_and_the_rest_follows(own_house: House, tmp_path: Path) -> None:
    lines: list[object] = []
    for n in range(500):
        lines.append({"type": "observation", "source_key": f"m-{n}", "scope": "acme", "content": f"Message {n}."})
        lines.append(
            {"type": "knowledge", "scope": "acme", "statement": f"Fact {n}.", "sources": [f"m-{max(0, n - 300)}"]}
        )
    good = lines[899]
    lines[899] = {**good, "kind": "rumour"}
    with pytest.raises(ImportFailed) as caught:
        run(own_house, write(tmp_path, lines), commit_every=250)
    assert (caught.value.line, caught.value.stored, caught.value.stored_to) == (900, 750, "line 750")
    assert own_house.execute(COUNTS) == [(375, 375, 0, 0)]
    lines[899] = good
    report = run(own_house, write(tmp_path, lines), commit_every=250)
    assert (report.observations.existing, report.observations.new) == (375, 125)
    assert (report.knowledge.existing, report.knowledge.new) == (375, 125)
    assert own_house.execute(COUNTS) == [(500, 500, 0, 0)]


def test_who_may_import(own_house: House, tmp_path: Path) -> None:
    dsn = own_house.as_user("app_writer")
    with pytest.raises(ImportFailed) as caught:
        import_file(dsn, write(tmp_path, LINES), credential=own_house.tokens["bot"])
    assert isinstance(caught.value.cause, errors.PermissionDenied) and caught.value.line == 1
    report = import_file(dsn, write(tmp_path, LINES[-1:]), credential=own_house.tokens["bot"])
    assert report.observations.new == 1
    with pytest.raises(ImportFailed) as caught:
        import_file(dsn, write(tmp_path, LINES[-1:]), credential=own_house.tokens["reader"])
    assert isinstance(caught.value.cause, errors.WriteNotPermitted)
    with pytest.raises(errors.CredentialUnknown):
        import_file(dsn, write(tmp_path, LINES[-1:]), credential="mh_nobody")
    with pytest.raises(errors.ConnectionFailed):
        import_file("host=127.0.0.1 port=1", write(tmp_path, LINES[-1:]))


def test_one_key_in_two_scopes_is_refused_as_a_source(own_house: House, tmp_path: Path) -> None:
    key = {"type": "observation", "source_key": "m", "content": "x"}
    fact = {"type": "knowledge", "scope": "acme", "statement": "x", "sources": ["m"]}
    with pytest.raises(ImportFailed) as caught:
        own_house.credential("hr", ("acme/hr", "member"))
        first = write(tmp_path, [{**key, "scope": "acme/hr"}])
        import_file(own_house.dsn, first, credential=own_house.tokens["hr"])
        run(
            own_house,
            write(tmp_path, [{**key, "scope": "acme"}, {**key, "scope": "acme/hr"}, fact, {**fact, "sources": ["n"]}]),
        )
    assert caught.value.field == "sources"


CONVERSATION = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_10_date_time": "9:05 am on 1 June, 2023",
            "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "The tenth."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ana", "dia_id": "D2:1", "text": "Look at my dog!", "blip_caption": "a dog on a beach"},
                {"speaker": "Ben", "dia_id": "D2:2", "text": "Lovely."},
            ],
            "session_3_date_time": "2:00 pm on 9 May, 2023",  # announced, and without turns
        },
    }
]


def test_locomo(own_house: House, tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(CONVERSATION))
    own_house.execute("select memhouse.create_scope('acme', 'locomo')")
    own_house.credential("locomo", ("locomo", "member"))
    for new in (3, 0):
        report = import_file(own_house.dsn, file, format="locomo", credential=own_house.tokens["locomo"])
        assert (report.observations.new, report.knowledge.new) == (new, new)
    with own_house.client("locomo") as client:
        result = client.search("dog", peer_key="Ben", scope="locomo/conv-1")
        assert [hit.statement for hit in result] == [
            "[1:56 pm on 8 May, 2023] Ana: Look at my dog! [shares a photo: a dog on a beach]"
        ]
        assert (result[0].kind, result[0].sensitivity, result[0].subject_peer) == ("event", "internal", None)
    assert own_house.execute(
        "select source_key, occurred_at::text from memhouse.observation order by occurred_at, 1"
    ) == [
        ("conv-1:D2:1", "2023-05-08 13:56:00+00"),
        ("conv-1:D2:2", "2023-05-08 13:56:00+00"),
        ("conv-1:D10:1", "2023-06-01 09:05:00+00"),
    ]


def test_a_file_that_is_no_locomo(tmp_path: Path) -> None:
    for text in ("[", "{}", '[{"sample_id": 1}]', "[1]", "\xff"):
        file = tmp_path / "x.json"
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(ImportFailed):
            list(read_locomo(file))


def test_a_broken_connection_stores_nothing(own_house: House, tmp_path: Path) -> None:
    lines = [{"type": "observation", "scope": "acme", "content": f"Message {n}."} for n in range(2000)]

    def cut(done: int, total: int) -> None:
        own_house.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and application_name = 'memhouse' and pid <> pg_backend_pid()"
        )

    with pytest.raises(ImportFailed) as caught:
        run(own_house, write(tmp_path, lines), progress=cut)
    assert isinstance(caught.value.cause, errors.ConnectionFailed)
    with psycopg.connect(own_house.dsn) as conn:
        assert conn.execute(COUNTS).fetchone() == (0, 0, 0, 0)
