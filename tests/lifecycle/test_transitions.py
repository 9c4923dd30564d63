"""The lifecycle graph, who may walk it, and what relations do to states."""

from __future__ import annotations

import re
import threading
import uuid
from pathlib import Path

import psycopg
import pytest

from support.hand import Hand
from support.house import House

STATES = [
    *("proposed", "provisional", "held", "active", "needs_revalidation", "contested"),
    *("superseded", "deprecated", "expired", "rejected", "redacted", "retracted"),
]


def edges(house: House) -> set[tuple[str, str]]:
    return {(a, b) for a, b in house.execute("select from_state::text, to_state::text from memhouse.lifecycle_edge")}


def test_every_state_is_reached_and_only_redacted_is_the_end(house: House) -> None:
    graph = edges(house)
    written = {"active", "provisional", "proposed"}
    reached = set(written)
    while True:
        further = reached | {to for start, to in graph if start in reached}
        if further == reached:
            break
        reached = further
    assert reached == set(STATES)
    assert {state for state in STATES if not any(start == state for start, _ in graph)} == {"redacted"}


def test_the_due_index_names_the_states_that_can_expire(house: House) -> None:
    (index,) = house.execute("select pg_get_indexdef('memhouse.knowledge_due_to_expire'::regclass)")[0]
    assert {state for state in STATES if f"'{state}'" in index} == {a for a, b in edges(house) if b == "expired"}


@pytest.mark.parametrize("start", STATES)
def test_a_state_changes_along_edges_and_no_others(house: House, curator: Hand, sqlstate, start: str) -> None:
    graph = edges(house)
    for target in STATES:
        id = curator.remember(f"From {start} to {target}.")
        # Put there by hand: not every state is one step from where a statement begins.
        set_state = (
            "update memhouse.knowledge set lifecycle_state = %s::memhouse.lifecycle_state where knowledge_id = %s"
        )
        house.execute(set_state, start, id)
        if (start, target) in graph:
            assert curator.move(id, target) == target
            assert curator.state(id) == target
        else:
            assert sqlstate(curator.move, id, target) == "MH016"
            assert curator.state(id) == start


def test_a_change_is_recorded_with_actor_reason_and_time(house: House, curator: Hand) -> None:
    id = curator.remember("The printer stands on the second floor.")
    curator.move(id, "deprecated", "the printer was sold")
    ((source, target, effective, changed, credential, role, reason),) = curator.history(id)
    assert (source, target, credential) == ("active", "deprecated", "curator")
    assert (role, reason) == ("app_writer", "the printer was sold")
    assert effective <= changed
    ((action, by, detail),) = house.execute(
        """select a.action, c.credential_name, a.detail from memhouse.audit_log as a
           join memhouse.credential as c using (account_id, credential_id)
           where a.target_id = %s and a.action = 'transition'""",
        id,
    )
    assert (action, by) == ("transition", "curator")
    assert detail == {"from": ["active"], "to": "deprecated", "rows": 1}


def test_a_reason_is_bounded_and_a_state_is_one_that_there_is(curator: Hand, sqlstate) -> None:
    id = curator.remember("Bounded.")
    assert sqlstate(curator.move, id, "deprecated", "x" * 2001) == "MH010"
    assert sqlstate(curator.move, id, "deprecated", " ") == "MH010"
    assert sqlstate(curator.move, id, "gone") == "MH010"
    assert sqlstate(curator.move, id, None) == "MH010"
    assert curator.state(id) == "active"


def test_what_is_hidden_and_what_is_absent_are_answered_alike(house: House, hand: Hand, sqlstate) -> None:
    dana = Hand(house, "dana")
    secret = dana.remember("Sleeps badly.", subject_peer="dana", sensitivity="personal")
    answers = []
    for id in (secret, uuid.uuid4()):
        with pytest.raises(psycopg.Error) as caught:
            hand.move(id, "retracted")
        answers.append(str(caught.value).replace(str(id), "ID"))
        assert caught.value.sqlstate == "MH015"
    assert answers[0] == answers[1]
    assert dana.state(secret) == "active"
    assert dana.move(secret, "retracted") == "retracted"


def test_who_may_move_a_statement(house: House, hand: Hand, curator: Hand, sqlstate) -> None:
    proposal = hand.remember("Maybe so.", state="proposed")
    other = Hand(house, "dana")
    assert sqlstate(other.move, proposal, "retracted") == "MH015"  # a member who did not write it does not see it
    assert sqlstate(hand.move, proposal, "active") == "MH014"  # to accept takes a curator
    assert curator.move(proposal, "active") == "active"
    assert sqlstate(hand.move, proposal, "redacted") == "MH014"
    reader = Hand(house, "reader")
    assert sqlstate(reader.move, proposal, "retracted") == "MH014"  # seen, but nothing may be written
    assert sqlstate(hand.read, "select memhouse.transition(%s, 'retracted')", proposal) == "MH014"


def test_what_a_statement_says_is_immutable(house: House, hand: Hand, sqlstate) -> None:
    id = hand.remember("Written once.")
    source = hand.write("select memhouse.observe('acme', 'said once')")
    for column, value in {
        "statement": "Written twice.",
        "confidence": 0.5,
        "metadata": "{}",
        "source_key": "k",
    }.items():
        changed = f"update memhouse.knowledge set {column} = %s where knowledge_id = %s"
        if column == "metadata":
            value = '{"a": 1}'
        assert sqlstate(house.execute, changed, value, id) == "23001"
    assert (
        sqlstate(house.execute, "update memhouse.observation set content = 'x' where observation_id = %s", source)
        == "23001"
    )


def test_supersedes_and_contradicts_move_their_targets(hand: Hand, curator: Hand) -> None:
    old, new, doubted = (curator.remember(text) for text in ("Old rule.", "New rule.", "Doubted rule."))
    hand.relate(new, old, "supersedes")
    curator.relate(new, old, "contradicts")  # superseded already: stays so
    hand.relate(new, doubted, "contradicts")
    curator.relate(new, doubted, "supports")
    assert [curator.state(id) for id in (old, new, doubted)] == ["superseded", "active", "contested"]
    assert not hand.sees(old)
    assert not hand.sees(doubted)
    # Having been superseded it does nothing to others, so two that supersede each other leave one.
    curator.relate(old, new, "supersedes")
    assert curator.state(new) == "active"


def test_a_proposal_supersedes_when_it_is_accepted(hand: Hand, curator: Hand) -> None:
    old = hand.remember("Lunch is at noon.")
    proposal = hand.remember("Lunch is at one.", state="proposed")
    hand.relate(proposal, old, "supersedes")
    assert curator.state(old) == "active"
    curator.move(proposal, "active")
    assert curator.state(old) == "superseded"


def test_an_edge_that_exists_moves_nothing_again(hand: Hand, curator: Hand) -> None:
    old, new = hand.remember("Before."), hand.remember("After.")
    hand.relate(new, old, "supersedes")
    curator.move(old, "active", "the new one was wrong")
    hand.relate(new, old, "supersedes")
    assert curator.state(old) == "active"


def test_nobody_supersedes_what_it_may_not_change(house: House, hand: Hand, sqlstate) -> None:
    secret = Hand(house, "dana").remember("Owes money.", subject_peer="dana", sensitivity="personal")
    id = hand.remember("Mine.")
    assert sqlstate(hand.relate, id, secret, "supersedes") == "MH015"
    assert hand.state(secret) == "active"


def test_racing_transitions_are_taken_one_after_the_other(house: House, curator: Hand) -> None:
    """Whoever waits finds the state the other one left, and the ranges stay in order."""
    id = curator.remember("Fought over.")
    targets = ["contested", "deprecated", "needs_revalidation", "retracted"] * 3
    outcomes: list[str] = []

    def race(target: str) -> None:
        try:
            Hand(house, "curator").move(id, target)
            outcomes.append("moved")
        except psycopg.Error as error:
            outcomes.append(error.sqlstate)

    threads = [threading.Thread(target=race, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    history = curator.history(id)
    assert len(outcomes) == len(targets)
    assert set(outcomes) <= {"moved", "MH016"}
    assert outcomes.count("moved") == len(history)
    graph, state = edges(house), "active"
    for source, target, *_ in history:
        assert source == state
        assert (source, target) in graph
        state = target
    assert curator.state(id) == state
    instants = [row[2] for row in history]
    assert instants == sorted(instants)


def test_a_clock_set_back_does_not_rewrite_the_past(house: House, curator: Hand) -> None:
    """A change is never earlier than the one before it, even if the server's clock now is."""
    id = curator.remember("Skewed.")
    house.execute(
        """update memhouse.knowledge set state_since = now() + interval '1 hour',
               active_during = tstzmultirange(tstzrange(now() + interval '1 hour', null)) where knowledge_id = %s""",
        id,
    )
    curator.move(id, "contested")
    curator.move(id, "active")
    ((during, since),) = house.execute(
        """select active_during::text, state_since > now() + interval '59 minutes'
           from memhouse.knowledge where knowledge_id = %s""",
        id,
    )
    assert during.count("[") == 1
    assert during.endswith(",)}")
    assert since
    assert curator.sees(id)


def test_two_changes_in_one_transaction(house: House, curator: Hand) -> None:
    """The state between was never believed: no range is left of it, and none is invalid."""
    with curator.conn.transaction():
        curator.conn.execute("select from memhouse.begin_write(%s)", (curator.token,))
        (id,) = curator.conn.execute("select memhouse.remember('acme', 'Short-lived.')").fetchone()
        for state in ("contested", "active", "retracted"):
            curator.conn.execute("select memhouse.transition(%s, %s)", (id, state))
    assert house.execute("select active_during::text from memhouse.knowledge where knowledge_id = %s", id) == [("{}",)]
    assert len(curator.history(id)) == 3


def test_the_documentation_draws_the_graph(house: House) -> None:
    text = (Path(__file__).parents[2] / "docs" / "lifecycle.md").read_text()
    drawn = set(re.findall(r"^    (\w+) --> (\w+)$", text, re.M))
    # The edges to redacted are told in words: there is one from every state.
    assert drawn == {(a, b) for a, b in edges(house) if b != "redacted"}
    assert {a for a, b in edges(house) if b == "redacted"} == set(STATES) - {"redacted"}
    for state in STATES:
        assert f"| {state} |" in text
