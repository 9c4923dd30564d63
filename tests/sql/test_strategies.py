"""Each strategy alone: which rows, which scores, in which order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from support.memory import Memory


def only(memory: Memory, strategy: str, **extra: float) -> None:
    """A profile named like the strategy that runs nothing else, with signals that change nothing."""
    flat = '"signals": {"recency": 0, "authority": 0, "provenance": 0, "status": 0}'
    weights = ", ".join(f'"{name}": {weight}' for name, weight in {strategy: 1, **extra}.items())
    memory.profile(strategy, f'{{"strategies": {{{weights}}}, {flat}}}')


def call_ten_rows_large(memory: Memory) -> None:
    """More than ten statements are a large memory, and a term in three of them is common."""
    for name, value in (("exact_scan_rows", 10), ("common_rows", 3)):
        memory.conn.execute("select memhouse.set_server_setting(%s, %s)", (name, value))


def raw(memory: Memory, strategy: str, query: str, **named: object) -> list[tuple[str, float]]:
    """Statement and raw score of a strategy's hits, in answer order."""
    hits = memory.report(query, profile=strategy, **named)["candidates"]
    return [(hit["statement"], hit["score_breakdown"]["strategies"][strategy]["raw"]) for hit in hits]


def detail(memory: Memory, strategy: str, query: str, **named: object) -> list[Any]:
    hits = memory.report(query, profile=strategy, **named)["candidates"]
    return [hit["score_breakdown"]["strategies"][strategy].get("detail") for hit in hits]


# lexical -----------------------------------------------------------------------------------------------------------


def test_lexical_finds_any_term_and_exact_identifiers(memory: Memory) -> None:
    only(memory, "lexical")
    memory.write()
    memory.remember("The nightly job lives in billing/reconcile.py.")
    memory.remember("Reconciliation of billing is nightly.")
    memory.remember("Lunch is at noon.")
    memory.read()
    assert memory.statements("billing/reconcile.py", profile="lexical") == [
        "The nightly job lives in billing/reconcile.py."
    ]
    assert len(memory.statements("what happens nightly at lunch?", profile="lexical")) == 3


def idf_rank(memory: Memory, terms: list[str]) -> dict[str, float]:
    """The formula of the strategy, written again: sum over terms of ln(1 + matches / df) * ts_rank."""
    rows = memory.conn.execute(
        "select statement, array(select ts_rank(tsv, t::tsquery)::float8 from unnest(%s::text[]) with ordinality as o (t, n)"
        " order by n) from memhouse.knowledge",
        (terms,),
    ).fetchall()
    matches = [(statement, ranks) for statement, ranks in rows if any(ranks)]
    df = [sum(ranks[place] > 0 for _, ranks in matches) for place in range(len(terms))]
    return {
        statement: sum(rank * math.log(1 + len(matches) / max(count, 1)) for rank, count in zip(ranks, df, strict=True))
        for statement, ranks in matches
    }


def test_lexical_weighs_a_rare_term_above_a_common_one(memory: Memory) -> None:
    only(memory, "lexical")
    memory.write()
    for number in range(6):
        memory.remember(f"The deploy failed, take {number}.")
    memory.remember("The migration was long.")
    memory.read()
    found = dict(raw(memory, "lexical", "migration deploy"))
    assert next(iter(found)) == "The migration was long."
    assert found == pytest.approx(idf_rank(memory, ["migrat", "deploy"]))


def test_in_a_large_memory_a_common_term_ranks_and_does_not_find(memory: Memory) -> None:
    only(memory, "lexical")
    call_ten_rows_large(memory)
    memory.write()
    memory.remember("The migration was long.")
    memory.remember("The deploy of the migration failed.")
    for number in range(12):
        memory.remember(f"The deploy went well, take {number}.")
    memory.conn.execute("analyze memhouse.knowledge")
    memory.read()
    found = dict(raw(memory, "lexical", "migration deploy"))
    assert list(found) == ["The deploy of the migration failed.", "The migration was long."]
    ranks = dict(
        memory.conn.execute(
            "select statement, array[ts_rank(tsv, 'migrat'), ts_rank(tsv, 'deploy')]::float8[] from memhouse.knowledge where tsv @@ 'migrat'"
        ).fetchall()
    )
    # Both statements found hold the rare term, so its idf is ln 2 as well, and its nearness to another tells nothing.
    for statement, (rare, common) in ranks.items():
        assert found[statement] == pytest.approx(math.log(2) * (rare + common))


def test_in_a_large_memory_the_rarest_of_common_terms_finds(memory: Memory) -> None:
    only(memory, "lexical")
    call_ten_rows_large(memory)
    memory.write()
    for number in range(12):
        memory.remember(f"The deploy went well, take {number}.")
    for number in range(5):
        memory.remember(f"The migration was long, take {number}.")
    memory.conn.execute("analyze memhouse.knowledge")
    memory.read()
    found = raw(memory, "lexical", "migration deploy")
    assert len(found) == 3
    assert all("migration" in statement for statement, _ in found)


def test_in_a_large_memory_a_word_that_stands_nowhere_takes_nothing_away(memory: Memory) -> None:
    only(memory, "lexical")
    call_ten_rows_large(memory)
    memory.write()
    for number in range(12):
        memory.remember(f"The deploy went well, take {number}.")
    memory.remember("The deploy was decided on.", kind="decision")
    memory.conn.execute("analyze memhouse.knowledge")
    memory.read()
    assert len(raw(memory, "lexical", "deploy")) == 3
    assert len(raw(memory, "lexical", "deploy xyzzy")) == 3
    # Nor does a word that stands in nothing of what is asked for.
    decisions = {"profile": "lexical", "filters": '{"kind": "decision"}'}
    assert memory.statements("take deploy", **decisions) == ["The deploy was decided on."]


def test_a_reader_of_thousands_of_scopes_is_answered(memory: Memory) -> None:
    only(memory, "lexical")
    memory.conn.execute(
        """insert into memhouse.scope (account_id, scope_id, scope_key, parent_id, path)
           select s.account_id, n.id, n.key, s.scope_id, s.path || n.id
           from memhouse.scope as s, (select memhouse.uuid_v7() as id, 'lab/' || i as key from generate_series(1, 8000) as i) as n
           where s.scope_key = 'lab'"""
    )
    memory.write()
    memory.remember("The deploy went well.", scope="lab/7000")
    memory.remember("The deploy failed.", scope="lab/b", subject_peer="bob", sensitivity="personal")
    memory.read()
    assert memory.statements("deploy", profile="lexical") == ["The deploy went well."]


def test_a_hidden_statement_changes_no_lexical_score(memory: Memory) -> None:
    only(memory, "lexical")
    memory.write()
    memory.remember("The deploy failed.")
    memory.remember("The migration was long.")
    memory.read()
    before = memory.report("migration deploy", profile="lexical")["candidates"]
    memory.write()
    for number in range(5):
        memory.remember(f"Bob failed a migration, take {number}.", subject_peer="bob", sensitivity="restricted")
    memory.read()
    assert memory.report("migration deploy", profile="lexical")["candidates"] == before


def test_two_telling_terms_within_eight_words_earn_a_bounded_bonus(memory: Memory) -> None:
    only(memory, "lexical")
    far = " ".join(f"filler{number}" for number in range(12))
    memory.write()
    memory.remember("The kettle and the anchor are stored together.")
    memory.remember(f"A kettle {far} an anchor.")
    for number in range(6):
        memory.remember(f"Another kettle, number {number}." if number % 2 else f"Another anchor, number {number}.")
    for number in range(12):
        memory.remember(f"The lamp and another lamp, number {number}.")
    memory.remember("A lamp near a kettle.")
    memory.read()
    found = memory.report("kettle anchor lamp", profile="lexical", limit=100)["candidates"]
    parts = {hit["statement"]: hit["score_breakdown"]["strategies"]["lexical"] for hit in found}
    plain = idf_rank(memory, ["kettl", "anchor", "lamp"])
    near, apart = "The kettle and the anchor are stored together.", f"A kettle {far} an anchor."
    assert parts[near]["raw"] == pytest.approx(1.5 * plain[near])
    assert parts[near]["detail"] == {"words_apart": 3}
    assert parts[apart]["raw"] == pytest.approx(plain[apart])
    # The lamp stands in more than half of the matches: being near it says nothing.
    assert parts["A lamp near a kettle."]["raw"] == pytest.approx(plain["A lamp near a kettle."])


def test_phrase_negation_and_or_use_websearch(memory: Memory) -> None:
    only(memory, "lexical")
    memory.write()
    for statement in ("Red apples.", "Apples of red colour.", "Blue plums."):
        memory.remember(statement)
    memory.read()
    assert memory.statements('"red apples"', profile="lexical") == ["Red apples."]
    assert memory.statements("apples -colour", profile="lexical") == ["Red apples."]
    assert set(memory.statements("plums or colour", profile="lexical")) == {"Blue plums.", "Apples of red colour."}
    assert memory.statements('apples -"red apples"', profile="lexical") == ["Apples of red colour."]
    assert set(memory.statements("-plums", profile="lexical")) == {"Red apples.", "Apples of red colour."}


# semantic ----------------------------------------------------------------------------------------------------------


def identity(memory: Memory) -> None:
    memory.call("select memhouse.register_embedding_identity('test', 'three', '1', 3)")


def test_semantic_is_one_minus_cosine_distance_and_takes_the_nearest(memory: Memory) -> None:
    identity(memory)
    only(memory, "semantic")
    memory.write()
    for statement, vector in (("East.", "[1,0,0]"), ("North-east.", "[2,2,0]"), ("Up.", "[0,0,3]")):
        memory.remember(statement, embedding=vector)
    memory.read()
    found = raw(memory, "semantic", "x", embedding="[1,0.1,0]", limit=2)
    assert [statement for statement, _ in found] == ["East.", "North-east."]
    assert [score for _, score in found] == pytest.approx([1 / math.sqrt(1.01), 1.1 / math.sqrt(2.02)], abs=1e-3)
    assert detail(memory, "semantic", "x", embedding="[1,0,0]") == [{"scan": "exact"}] * 3


def test_semantic_by_index_gives_the_exact_answer_and_never_a_short_page(memory: Memory) -> None:
    """With a threshold of 5 rows, the index is used; where the reader may see few of the near, all are compared."""
    identity(memory)
    only(memory, "semantic")
    memory.call("select memhouse.set_server_setting('exact_scan_rows', 5)")
    memory.write()
    for number in range(40):
        memory.remember(f"Row {number}.", embedding=f"[1,{number},0]", scope="lab/b" if number % 4 else "lab/a")
    memory.read()
    by_index = memory.report("x", profile="semantic", embedding="[1,0,0]", limit=40)["candidates"]
    assert [hit["statement"] for hit in by_index] == [f"Row {number}." for number in range(40)]
    # It found fewer than the hundred it looks for; that all were compared then is not said, for it can tell of hidden rows.
    assert detail(memory, "semantic", "x", embedding="[1,0,0]", limit=40) == [{"scan": "hnsw"}] * 40
    memory.read("lab/a")
    assert memory.statements("x", profile="semantic", embedding="[1,0,0]", limit=10) == [
        f"Row {number}." for number in range(0, 40, 4)
    ]


def test_semantic_without_a_vector_is_dropped_and_says_so(memory: Memory) -> None:
    memory.read()
    (dropped,) = memory.report("anything")["strategies"]["dropped"]
    assert (dropped["name"], dropped["reason_class"]) == ("semantic", "dependency_unavailable")


@pytest.mark.parametrize(
    ("code", "vector", "claimed"),
    [
        ("MH012", "[1,2]", None),
        ("MH012", "[0,0,0]", None),
        ("MH013", "[1,2,3]", "other:model@1#3"),
        # pgvector's own input refuses it before any of our functions is called
        ("22000", "[nan,1,1]", None),
    ],
)
def test_a_vector_that_cannot_be_compared_is_refused(
    memory: Memory, fails: Callable, code: str, vector: str, claimed: str | None
) -> None:
    identity(memory)
    memory.read()
    fails(code, "select memhouse.search('x', %s, p_identity => %s)", vector, claimed)


# temporal ----------------------------------------------------------------------------------------------------------


def test_temporal_scores_by_days_outside_the_window(memory: Memory) -> None:
    only(memory, "temporal")
    memory.write()
    for statement, start, end in (
        ("Plan A holds.", "2026-01-01 00:00+00", "2026-01-31 00:00+00"),
        ("Plan B holds.", "2026-02-10 00:00+00", None),
        ("Plan C holds.", None, "2026-02-01 00:00+00"),
        ("Plan D holds.", "-infinity", "infinity"),
        ("Plan E holds.", None, None),
    ):
        memory.remember(statement, relevant_from=start, relevant_until=end)
    memory.remember("Unrelated, dated.", relevant_from="2026-02-03 00:00+00")
    memory.read()
    found = raw(memory, "temporal", "which plan holds?", as_of="2026-02-03 01:00+01:00")
    assert found == [
        ("Plan D holds.", 1.0),
        ("Plan C holds.", pytest.approx(1 / 3)),
        ("Plan A holds.", pytest.approx(1 / 4)),
        ("Plan B holds.", pytest.approx(1 / 8)),
    ]


@pytest.mark.parametrize("instant", ["infinity", "-infinity"])
def test_temporal_at_an_infinite_instant_is_defined(memory: Memory, instant: str) -> None:
    only(memory, "temporal")
    memory.write()
    memory.remember("Plan A holds.", relevant_from="2026-01-01", relevant_until="2026-01-31")
    memory.remember("Plan B holds.", relevant_from="-infinity", relevant_until="infinity")
    memory.read()
    found = raw(memory, "temporal", "plan", as_of=instant)
    assert found[0] == ("Plan B holds.", 1.0)
    assert found[1] == ("Plan A holds.", 0.0)


def test_temporal_needs_as_of(memory: Memory) -> None:
    memory.read()
    outcomes = {item["name"]: item for item in memory.report("plan")["strategies"]["not_applicable"]}
    assert outcomes["temporal"]["reason_class"] == "applicability"


# salience_recency --------------------------------------------------------------------------------------------------


def test_salience_is_confidence_corroboration_and_age(memory: Memory) -> None:
    only(memory, "salience_recency")
    memory.write()
    sources = [memory.call("select memhouse.observe('lab/a', %s)", f"source {number}") for number in range(3)]
    memory.remember("Well supported.", confidence=0.8, sources=sources)
    memory.remember("Certain.", confidence=1.0)
    old = memory.remember("Old.", confidence=1.0)
    age(memory, old, 30)
    memory.read()
    found = raw(memory, "salience_recency", "")
    assert [statement for statement, _ in found] == ["Well supported.", "Certain.", "Old."]
    assert [score for _, score in found] == pytest.approx([0.8 * (1 + math.log(3)), 1.0, math.exp(-1)], rel=1e-3)


def age(memory: Memory, id: UUID, days: int) -> None:
    """As only a superuser can: without the trigger that keeps statements as they were."""
    memory.conn.execute("set local session_replication_role = replica")
    memory.conn.execute(
        "update memhouse.knowledge set recorded_at = now() - make_interval(days => %s) where knowledge_id = %s",
        (days, id),
    )
    memory.conn.execute("set local session_replication_role = origin")


def test_a_question_that_finds_nothing_is_not_answered_with_recent_things(memory: Memory) -> None:
    memory.write()
    memory.remember("Something recent.")
    memory.read()
    report = memory.report("zebra", profile="fast")
    assert report["candidates"] == []
    assert [item["name"] for item in report["strategies"]["not_applicable"]] == ["salience_recency"]
    assert memory.statements("", profile="fast") == ["Something recent."]


# entity_match ------------------------------------------------------------------------------------------------------


def rebuild(memory: Memory) -> None:
    memory.internal()
    memory.call("select memhouse.rebuild_entities()")


def test_entity_match_weighs_by_rarity_over_admitted_rows(memory: Memory) -> None:
    only(memory, "entity_match")
    memory.write()
    for number in range(30):
        memory.remember(f"Filler number {number}.")
    memory.remember("We met Dana Reyes and Lee Park.")
    memory.remember("We met Dana Reyes again.", confidence=0.5)
    memory.remember("We met Lee Park in the lobby.")
    memory.remember("We met Lee Park at work.")
    rebuild(memory)
    memory.read()
    found = raw(memory, "entity_match", "what about dana reyes and Lee Park's plans?")
    rows = 34
    dana, lee = math.log(1 + rows / 2), math.log(1 + rows / 3)
    assert found[0] == ("We met Dana Reyes and Lee Park.", pytest.approx(1.0))
    expected = {
        "We met Dana Reyes again.": dana / (dana + lee) * 0.5,
        "We met Lee Park in the lobby.": lee / (dana + lee),
        "We met Lee Park at work.": lee / (dana + lee),
    }
    assert dict(found[1:]) == pytest.approx(expected)


def test_a_hidden_statement_changes_no_entity_score(memory: Memory) -> None:
    only(memory, "entity_match")
    memory.write()
    memory.remember("Dana Reyes met Lee Park.")
    memory.remember("Lee Park was late.")
    rebuild(memory)
    memory.read()
    before = memory.report("Dana Reyes or not, Lee Park", profile="entity_match")["candidates"]
    memory.write()
    for number in range(5):
        memory.remember(f"We saw Dana Reyes, secret {number}.", subject_peer="bob", sensitivity="restricted")
    rebuild(memory)
    memory.read()
    assert memory.report("Dana Reyes or not, Lee Park", profile="entity_match")["candidates"] == before


def test_a_ubiquitous_entity_is_ignored(memory: Memory) -> None:
    only(memory, "entity_match")
    memory.write()
    for number in range(20):
        memory.remember(f"We saw Ubiquitous Corp, case {number}.")
    memory.remember("We saw Rare Corp.")
    rebuild(memory)
    memory.read()
    assert memory.statements("Ubiquitous Corp Rare Corp", profile="entity_match") == ["We saw Rare Corp."]


# relation_expand ---------------------------------------------------------------------------------------------------


def expand_profile(memory: Memory) -> None:
    only(memory, "relation_expand", lexical=1)


def expanded(memory: Memory, query: str) -> dict[str, tuple[float, str]]:
    hits = memory.report(query, profile="relation_expand", limit=50)["candidates"]
    parts = {hit["statement"]: hit["score_breakdown"]["strategies"].get("relation_expand") for hit in hits}
    return {statement: (part["raw"], part["detail"]["via"]) for statement, part in parts.items() if part}


def test_typed_relations_are_followed_one_hop_in_both_directions(memory: Memory) -> None:
    expand_profile(memory)
    memory.write()
    incident = memory.remember("The zeppelin caught fire.", kind="event")
    lesson = memory.remember("Never use hydrogen.", kind="lesson")
    decision = memory.remember("Helium it is.", kind="decision")
    beyond = memory.remember("Helium is scarce.")
    for source, target, kind, confidence in (
        (lesson, incident, "caused_by", 1.0),
        (incident, decision, "supports", 0.5),
        (decision, beyond, "supports", 1.0),
    ):
        memory.conn.execute("select memhouse.relate(%s, %s, %s, %s::real)", (source, target, kind, confidence))
    memory.read()
    assert expanded(memory, "zeppelin") == {
        "Never use hydrogen.": (pytest.approx(0.5), "caused_by"),
        "Helium it is.": (pytest.approx(0.25), "supports"),
    }


def test_a_relation_to_a_hidden_statement_leads_nowhere(memory: Memory) -> None:
    expand_profile(memory)
    memory.write()
    seen = memory.remember("The zeppelin caught fire.")
    hidden = memory.remember("Bob lit it.", subject_peer="bob", sensitivity="personal")
    memory.conn.execute("select memhouse.relate(%s, %s, 'caused_by')", (seen, hidden))
    memory.read()
    report = memory.report("zeppelin", profile="relation_expand")
    assert [hit["statement"] for hit in report["candidates"]] == ["The zeppelin caught fire."]
    assert [item["name"] for item in report["strategies"]["empty"]] == ["relation_expand"]


def test_relations_that_form_a_cycle_end_after_one_hop(memory: Memory) -> None:
    expand_profile(memory)
    memory.write()
    ids = [memory.remember(statement) for statement in ("Zeppelin.", "Balloon.", "Kite.")]
    for source, target in ((0, 1), (1, 2), (2, 0)):
        memory.conn.execute("select memhouse.relate(%s, %s, 'supports')", (ids[source], ids[target]))
    memory.read()
    assert expanded(memory, "zeppelin").keys() == {"Balloon.", "Kite."}


def test_shared_entities_are_followed_within_a_scope_and_across_linked_scopes_only(memory: Memory) -> None:
    expand_profile(memory)
    memory.write()
    for number in range(20):
        memory.remember(f"Filler number {number}.")
    memory.remember("The zeppelin belongs to Dana Reyes.")
    memory.remember("Some tea for Dana Reyes.")
    memory.remember("A desk for Dana Reyes.", scope="lab/b")
    rebuild(memory)
    memory.read()
    assert expanded(memory, "zeppelin") == {"Some tea for Dana Reyes.": (pytest.approx(0.25), "shared_entity")}
    memory.call("select memhouse.link_scopes('lab', 'lab/a', 'lab/b')")
    memory.read()
    assert expanded(memory, "zeppelin").keys() == {"Some tea for Dana Reyes.", "A desk for Dana Reyes."}
    memory.read("lab/a")  # the link's other end is outside this read
    assert expanded(memory, "zeppelin").keys() == {"Some tea for Dana Reyes."}


def test_one_seed_contributes_a_bounded_number_of_neighbours(memory: Memory) -> None:
    expand_profile(memory)
    memory.call("select memhouse.set_server_setting('expand_per_seed', 2)")
    memory.write()
    for number in range(40):
        memory.remember(f"Filler number {number}.")
    memory.remember("The zeppelin belongs to Dana Reyes.")
    for number in range(5):
        memory.remember(f"Item {number} for Dana Reyes.")
    rebuild(memory)
    memory.read()
    assert len(expanded(memory, "zeppelin")) == 2


# the minimal profile -----------------------------------------------------------------------------------------------


def lanes(memory: Memory) -> dict[str, UUID]:
    identity(memory)
    memory.call("select memhouse.set_account_setting('lab', 'experimental_minimal_recall', 'true')")
    memory.write()
    ids = {}
    for statement, vector, operation in (
        ("D1", "[1,0,0]", None),
        ("D2", "[1,0.2,0]", None),
        ("D3", "[1,0.4,0]", "extraction"),
        ("V1", "[1,0.3,0]", "deduction"),
        ("V2", "[1,0.9,0]", "consolidation"),
    ):
        metadata = "{}" if operation is None else f'{{"operation": "{operation}"}}'
        ids[statement] = memory.remember(f"{statement}.", embedding=vector, metadata=metadata)
    memory.internal()
    assert memory.call("select memhouse.refresh_recall_documents()") == 5
    assert memory.call("select memhouse.refresh_recall_documents()") == 0
    return ids


def test_minimal_interleaves_its_lanes_by_rank_direct_first(memory: Memory) -> None:
    lanes(memory)
    memory.read()
    hits = memory.report("x", profile="minimal", embedding="[1,0,0]")["candidates"]
    assert [hit["statement"] for hit in hits] == ["D1.", "V1.", "D2.", "V2.", "D3."]
    details = [hit["score_breakdown"]["strategies"]["semantic_lanes"]["detail"] for hit in hits]
    assert [(item["lane"], item["operation"], item["lane_rank"]) for item in details] == [
        ("direct", "extraction", 1),
        ("derived", "deduction", 1),
        ("direct", "extraction", 2),
        ("derived", "consolidation", 2),
        ("direct", "extraction", 3),
    ]
    assert details[0]["distance"] == pytest.approx(0, abs=1e-3)


def test_minimal_hides_a_statement_the_moment_it_changes(memory: Memory) -> None:
    ids = lanes(memory)
    memory.write()
    memory.call("select memhouse.transition(%s, 'deprecated')", ids["D1"])
    memory.call("select memhouse.transition(%s, 'contested')", ids["V1"])
    memory.read()
    hits = memory.statements("x", profile="minimal", embedding="[1,0,0]")
    assert hits == ["D2.", "V2.", "D3."]
    memory.write()
    memory.call("select memhouse.transition(%s, 'active')", ids["V1"])
    memory.read()  # active again, but its document is of before: not used until refreshed
    assert "V1." not in memory.statements("x", profile="minimal", embedding="[1,0,0]")
    memory.internal()
    assert memory.call("select memhouse.refresh_recall_documents()") == 1
    memory.read()
    assert memory.statements("x", profile="minimal", embedding="[1,0,0]")[1] == "V1."


def test_erasing_a_statement_takes_its_recall_document_along(memory: Memory) -> None:
    ids = lanes(memory)
    memory.write()
    memory.call("select memhouse.erase(%s)", ids["D1"])
    assert memory.call("select count(*) from memhouse.recall_document where knowledge_id = %s", ids["D1"]) == 0


def test_minimal_needs_its_feature_flag(memory: Memory, fails: Callable) -> None:
    memory.read()
    fails("MH021", "select memhouse.search('x', p_profile => 'minimal')")
