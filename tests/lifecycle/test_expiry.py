"""What is due is hidden from that instant on every path, swept or not; sweeps are bounded and share their work."""

from __future__ import annotations

import threading
import time

import psycopg
import pytest

from support.hand import Hand
from support.house import House


def due(hand: Hand, count: int, scope: str = "acme") -> None:
    """Statements that have expired and that nobody has swept."""
    hand.write(
        """select count(memhouse.remember(%s, 'Due ' || n, p_expires_at => now() - interval '1 day' + n * interval '1 ms'))
           from generate_series(1, %s) as n""",
        scope,
        count,
    )


def sweep(house: House, arguments: str = "") -> int:
    return house.execute(f"select memhouse.sweep_expired({arguments})")[0][0]


def states(house: House) -> dict[str, int]:
    return dict(house.execute("select lifecycle_state::text, count(*)::int from memhouse.knowledge group by 1"))


@pytest.fixture
def worker(own_house: House) -> Hand:
    own_house.credential("worker", ("acme", "curator"), peer_key="eli", clearance="restricted")
    return Hand(own_house, "worker")


def test_hidden_from_the_instant_it_is_due_on_every_path(own_house: House, worker: Hand) -> None:
    source = worker.write("select memhouse.observe('acme', 'The code is 1234.')")
    id = worker.remember("The door code is 1234.", sources=[source])
    other = worker.remember("The door has a code.")
    worker.relate(other, id, "derived_from")
    then = own_house.execute("select clock_timestamp()")[0][0]
    worker.write("select memhouse.set_expiry(%s, clock_timestamp() + interval '0.4 s')", id)
    assert worker.sees(id)
    time.sleep(0.5)
    assert worker.state(id) == "active"  # nobody has swept
    for known_at in (None, then):
        assert not worker.sees(id, known_at=known_at)
        assert worker.read("select 1 from memhouse.list_knowledge() where id = %s", id, known_at=known_at) == []
        assert (
            worker.read("select 1 from memhouse.knowledge_source where knowledge_id = %s", id, known_at=known_at) == []
        )
        assert worker.read("select 1 from memhouse.relation where to_id = %s", id, known_at=known_at) == []
    with psycopg.connect(own_house.as_user("app_author")) as author:
        author.execute("select from memhouse.begin_write(%s)", (worker.token,))
        assert (id,) not in author.execute("select knowledge_id from memhouse.knowledge").fetchall()
    assert sweep(own_house) == 1
    assert worker.state(id) == "expired"
    assert not worker.sees(id, known_at=then)
    ((effective_is_due,),) = own_house.execute(
        """select c.effective_at = k.expires_at from memhouse.lifecycle_change as c
           join memhouse.knowledge as k using (account_id, knowledge_id) where k.knowledge_id = %s""",
        id,
    )
    assert effective_is_due


@pytest.mark.parametrize(
    ("expires_at", "seen"),
    [
        ("infinity", True),
        ("-infinity", False),
        ("2000-01-01 00:00:00+00", False),
        ("9999-12-31 23:59:59+14", True),
        (None, True),
    ],
)
def test_expiry_at_the_ends_of_time(house: House, hand: Hand, expires_at: str | None, seen: bool) -> None:
    id = hand.remember("Sometime.", expires_at=expires_at)
    assert hand.sees(id) is seen
    sweep(house)
    assert hand.state(id) == ("active" if seen else "expired")
    assert hand.sees(id) is seen


def test_one_instant_in_two_time_zones(house: House, hand: Hand) -> None:
    """An expiry is an instant; the zone it was written in, and the session's, make no difference."""
    ids = []
    for zone in ("Pacific/Kiritimati", "America/Los_Angeles"):
        for conn in (hand.conn, hand.reading):
            conn.execute("select set_config('timezone', %s, false)", (zone,))
        past = hand.write("select (now() - interval '1 minute')::text")
        future = hand.write("select (now() + interval '1 hour')::text")
        ids += [hand.remember("Zoned.", expires_at=past), hand.remember("Zoned.", expires_at=future)]
    assert [hand.sees(id) for id in ids] == [False, True, False, True]


def test_what_expired_is_renewed_with_a_later_date(own_house: House, worker: Hand, sqlstate) -> None:
    id = worker.remember("Offer of the week.", expires_at="2020-01-01")
    assert sqlstate(worker.move, id, "active") == "MH016"
    assert worker.state(id) == "active"  # refused as a whole
    worker.write("select memhouse.set_expiry(%s, 'infinity')", id)
    assert worker.state(id) == "expired"  # the date that had passed was acted on first
    assert not worker.sees(id)
    worker.move(id, "active", "extended")
    assert worker.sees(id)


def test_revalidation_hides_until_somebody_vouches(own_house: House, worker: Hand) -> None:
    id = worker.remember("The contact at the bank is Ms Ito.")
    worker.write("select memhouse.set_revalidation(%s, clock_timestamp() + interval '0.3 s')", id)
    before = own_house.execute("select clock_timestamp()")[0][0]
    assert worker.sees(id)
    time.sleep(0.4)
    assert worker.state(id) == "active"
    assert not worker.sees(id)
    assert worker.sees(id, known_at=before)
    assert own_house.execute("select memhouse.sweep_revalidation()") == [(1,)]
    assert worker.state(id) == "needs_revalidation"
    assert worker.sees(id, known_at=before)
    between = own_house.execute("select clock_timestamp()")[0][0]
    worker.move(id, "active", "called her")
    assert worker.sees(id)
    assert not worker.sees(id, known_at=between)
    assert own_house.execute("select memhouse.sweep_revalidation()") == [(0,)]


def test_a_revalidation_date_in_the_past_is_now(own_house: House, worker: Hand) -> None:
    id = worker.remember("Doubtful.")
    before = own_house.execute("select clock_timestamp()")[0][0]
    worker.write("select memhouse.set_revalidation(%s, '-infinity')", id)
    assert not worker.sees(id)
    assert worker.sees(id, known_at=before)  # what was believed until then was believed
    worker.write("select memhouse.set_revalidation(%s, null)", id)
    worker.move(id, "active")
    assert worker.sees(id)


def test_a_sweep_is_bounded_and_goes_on(own_house: House, worker: Hand, sqlstate) -> None:
    due(worker, 1200)
    assert sweep(own_house, "p_max_rows => 700") == 700
    assert states(own_house) == {"active": 500, "expired": 700}
    # The most overdue went first.
    assert own_house.execute(
        """select max(expires_at) filter (where lifecycle_state = 'expired') < min(expires_at) filter (where lifecycle_state = 'active')
           from memhouse.knowledge"""
    ) == [(True,)]
    assert sweep(own_house, "p_max_ms => 1") == 500  # a batch is finished, and no other begun
    assert sweep(own_house) == 0
    for bad in ("0", "-1", "null, 0"):
        assert sqlstate(sweep, own_house, bad) == "MH010"


def test_two_sweeps_share_the_work(own_house: House, worker: Hand) -> None:
    due(worker, 3000)
    moved: list[int] = []

    def work() -> None:
        while count := sweep(own_house, "p_max_rows => 200"):
            moved.append(count)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    # A sweep leaves what another holds and may end early; a last one finds what was left.
    moved.append(sweep(own_house))
    assert sum(moved) == 3000
    assert states(own_house) == {"expired": 3000}
    assert own_house.execute("select count(*), count(distinct knowledge_id) from memhouse.lifecycle_change") == [
        (3000, 3000)
    ]


def test_a_sweep_waits_for_nobody_and_blocks_no_reader(own_house: House, worker: Hand) -> None:
    due(worker, 3)
    ids = own_house.execute("select knowledge_id from memhouse.knowledge order by expires_at")
    with psycopg.connect(own_house.dsn) as writer:
        writer.execute("select from memhouse.knowledge where knowledge_id = %s for update", ids[0])
        with psycopg.connect(own_house.dsn) as sweeper:
            sweeper.execute("set lock_timeout = '1 s'")
            assert sweeper.execute("select memhouse.sweep_expired()").fetchone() == (2,)
            # Not committed: readers go on, each in its own time.
            worker.reading.execute("set lock_timeout = '1 s'")
            assert worker.read("select count(*) from memhouse.knowledge") == [(0,)]
            sweeper.rollback()
    assert sweep(own_house) == 3


def test_sweeps_act_on_every_account(own_house: House, worker: Hand) -> None:
    own_house.execute("select memhouse.create_account('other')")
    own_house.execute("select memhouse.create_scope('other', 'other')")
    own_house.execute("select memhouse.create_credential('other', 'them')")
    own_house.execute("select memhouse.grant_scope('other', 'them', 'other', 'member')")
    own_house.tokens["them"] = own_house.execute("select memhouse.renew_credential('other', 'them')")[0][0]
    due(Hand(own_house, "them"), 2, "other")
    due(worker, 2)
    assert sweep(own_house) == 4
    logged = own_house.execute(
        """select a.account_key, l.detail ->> 'rows', l.credential_id from memhouse.audit_log as l
           join memhouse.account as a using (account_id) where l.action = 'transition' order by 1"""
    )
    assert logged == [("acme", "2", None), ("other", "2", None)]
