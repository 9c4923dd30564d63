"""What was known at an instant, asked later, is what a reader was shown at that instant."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.hand import Hand
from support.house import House

READERS = ("eli", "dana")


@dataclass
class History:
    """A scope, what happened in it, and what each reader was shown after each event."""

    scope: str
    hands: dict[str, Hand]
    ids: list[Any] = field(default_factory=list)
    # From every read, also of the past: what was redacted, erased, or has expired since.
    gone: set[Any] = field(default_factory=set)
    shown: list[tuple[datetime, dict[str, dict[str, set]]]] = field(default_factory=list)

    def look(self, reader: str, known_at: datetime | None = None) -> dict[str, set]:
        """Everything a reader is shown in the scope, by every path."""
        own = "scope_id = (select scope_id from memhouse.scope where scope_key = %(scope)s)"
        searched = (
            "select id from memhouse.search(%(query)s, p_profile => 'thorough', p_limit => 100) where scope = %(scope)s"
        )
        paths = {
            "selected": f"select knowledge_id from memhouse.knowledge where {own}",
            "listed": "select id from memhouse.list_knowledge(p_limit => 100) where scope = %(scope)s",
            "browsed": searched.replace("%(query)s", "''"),
            "found": searched.replace("%(query)s", "'apple'"),
            "observations": f"select observation_id from memhouse.observation where {own}",
            "sources": "select knowledge_id, observation_id from memhouse.knowledge_source",
            "relations": "select from_id, to_id, type::text from memhouse.relation",
        }
        return self.hands[reader].look(paths, {"scope": self.scope}, scope=self.scope, known_at=known_at)

    def record(self) -> None:
        (now,) = self.hands["eli"].read("select clock_timestamp()")[0]
        self.shown.append((now, {reader: self.look(reader) for reader in READERS}))


def act(history: History, chance: random.Random) -> None:
    """Something happens: a statement, a change of state, a relation, a date, an erasure."""
    hand = history.hands["eli"]
    alive = [id for id in history.ids if id not in history.gone]
    deed = chance.choice(["remember", "remember", "move", "move", "move", "relate", "revalidate", "expire", "erase"])
    if deed == "remember" or not alive:
        source = hand.write(
            "select memhouse.observe(%s, 'an apple was seen', p_sensitivity => 'internal')", history.scope
        )
        history.ids.append(
            hand.remember(
                f"Statement {len(history.ids)} about an apple.",
                scope=history.scope,
                subject_peer=chance.choice([None, "dana"]),
                state=chance.choice(["active", "active", "provisional", "proposed"]),
                sources=[source] if chance.random() < 0.5 else [],
            )
        )
        return
    id = chance.choice(alive)
    if deed == "move":
        options = hand.house.execute(
            """select e.to_state::text from memhouse.lifecycle_edge as e
               join memhouse.knowledge as k
                   on e.from_state = case when k.lifecycle_state = 'active' and k.revalidate_at <= now()
                                          then 'needs_revalidation' else k.lifecycle_state end
               where k.knowledge_id = %s and not (e.to_state = 'active' and k.expires_at <= now())""",
            id,
        )
        if options:
            (state,) = chance.choice(sorted(options))
            hand.move(id, state)
            if state == "redacted":
                history.gone.add(id)
    elif deed == "relate" and len(alive) > 1:
        start, end = chance.sample(alive, 2)
        hand.relate(start, end, chance.choice(["supersedes", "contradicts", "supports", "derived_from"]))
    elif deed == "revalidate":
        hand.write("select memhouse.set_revalidation(%s, now())", id)
    elif deed == "expire":
        hand.write("select memhouse.set_expiry(%s, now())", id)
        history.gone.add(id)
    elif deed == "erase":
        hand.write("select memhouse.erase(%s, p_keep_sources => true)", id)
        history.gone.add(id)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(chance=st.randoms(use_true_random=False), length=st.integers(5, 20))
def test_the_past_is_shown_as_it_was(house: House, chance: random.Random, length: int) -> None:
    if "curator" not in house.tokens:
        house.credential("curator", ("acme", "curator"), peer_key="eli", clearance="restricted")
    scope = f"acme/{house.execute('select gen_random_uuid()')[0][0]}"
    house.execute("select memhouse.create_scope('acme', %s, 'acme')", scope)
    history = History(scope, {"eli": Hand(house, "curator"), "dana": Hand(house, "dana")})
    for _ in range(length):
        act(history, chance)
        history.record()
    # Whether a job has run makes no difference to any of it.
    house.execute("select memhouse.sweep_expired(), memhouse.sweep_revalidation()")

    for known_at, shown in [*chance.sample(history.shown, min(6, length)), history.shown[-1]]:
        for reader, then in shown.items():
            now = history.look(reader, known_at)
            for path, rows in then.items():
                assert now[path] == {row for row in rows if not history.gone & set(row)}, (path, reader, known_at)
    for hand in history.hands.values():
        hand.close()


def test_before_the_beginning_and_after_the_end(house: House, hand: Hand) -> None:
    id = hand.remember("Somewhere in time.")
    assert not hand.sees(id, known_at="-infinity")
    assert not hand.sees(id, known_at="2000-01-01")
    assert hand.sees(id, known_at="infinity")
    assert hand.sees(id, known_at=datetime.now().astimezone() + timedelta(days=365))
    # The same instant, written in another time zone.
    (utc, tokyo) = house.execute(
        """select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00'),
                  to_char(now() at time zone 'Asia/Tokyo', 'YYYY-MM-DD HH24:MI:SS.US+09')"""
    )[0]
    assert hand.sees(id, known_at=utc) and hand.sees(id, known_at=tokyo)


def test_what_was_retracted_is_shown_as_it_stood_and_marked(house: House, hand: Hand) -> None:
    id = hand.remember("The moon is made of cheese.")
    then = house.execute("select clock_timestamp()")[0][0]
    hand.move(id, "retracted")
    assert not hand.sees(id)
    assert hand.sees(id, known_at=then)
    assert hand.read(
        "select lifecycle_state::text from memhouse.knowledge where knowledge_id = %s", id, known_at=then
    ) == [("retracted",)]
    (marked,) = hand.read(
        "select score_breakdown ->> 'lifecycle_state' from memhouse.search('moon') where id = %s", id, known_at=then
    )
    assert marked == ("retracted",)


def test_authority_is_of_today(house: House, hand: Hand) -> None:
    """A reader who may no longer see a scope is shown nothing of its past."""
    house.credential("leaver", ("acme/hr", "member"), peer_key="eli")
    leaver = Hand(house, "leaver")
    id = hand.remember("The office has a garden.", scope="acme/hr")
    then = house.execute("select clock_timestamp()")[0][0]
    assert leaver.sees(id, known_at=then)
    house.execute("select memhouse.grant_scope('acme', 'leaver', 'acme/hr', 'reader', 'deny')")
    assert not leaver.sees(id, known_at=then)


def test_valid_time_and_belief_time_combine(house: House, hand: Hand) -> None:
    """What did we believe in between about last March?"""
    old = hand.remember("Rent in March was 900.", relevant_from="2026-03-01", relevant_until="2026-03-31")
    then = house.execute("select clock_timestamp()")[0][0]
    new = hand.remember("Rent in March was 950.", relevant_from="2026-03-01", relevant_until="2026-03-31")
    hand.relate(new, old, "supersedes")

    def asked(**posture: object) -> list:
        query = "select id from memhouse.search('rent March', p_profile => 'balanced', p_as_of => '2026-03-15')"
        return [row[0] for row in hand.read(query, **posture)]

    assert asked() == [new]
    assert asked(known_at=then) == [old]
