"""What is erased is gone: from every table, from every read of the past, and from the files of the server."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memhouse_thin.migrate import migrate
from support.hand import Hand
from support.house import House, furnish
from support.roles import create_logins
from support.servers import Server, running

# What is left on purpose: who did what to which id, and that the id is gone.
KEEPERS = {"audit_log", "tombstone"}


def mentions(house: House, needle: str) -> set[str]:
    """The tables with a row whose text contains the needle."""
    tables = house.execute(
        "select relname from pg_class where relnamespace = 'memhouse'::regnamespace and relkind in ('r', 'p')"
    )
    return {
        table
        for (table,) in tables
        if house.execute(f"select exists (select from memhouse.{table} as t where t::text ilike %s)", f"%{needle}%")[0][
            0
        ]
    }


@pytest.fixture
def keeper(own_house: House) -> Hand:
    own_house.credential("keeper", ("acme", "curator"), peer_key="eli", clearance="restricted")
    return Hand(own_house, "keeper")


def furnish_fully(house: House, hand: Hand, marker: str) -> uuid.UUID:
    """A statement with everything that can hang on one: source, vector, mention, document, relations, history."""
    source = hand.write("select memhouse.observe('acme', %s)", f"Zorbina said {marker} twice.")
    id = hand.remember(
        f"In the safe Zorbina keeps {marker}, which Zorbina likes.",
        sources=[source],
        embedding=str([1.0] * 16),
        metadata=f'{{"m": "{marker}"}}',
        source_key=f"key-{marker}",
    )
    other = hand.remember("There is a safe.")
    hand.relate(other, id, "derived_from")
    hand.move(id, "contested", f"nobody has seen {marker}")
    hand.move(id, "active")
    with psycopg.connect(house.dsn) as conn:
        conn.execute("select from memhouse.begin_internal('acme')")
        conn.execute("select memhouse.rebuild_entities(), memhouse.refresh_recall_documents()")
    return id


def test_erasure_leaves_a_tombstone_and_nothing_else(own_house: House, keeper: Hand) -> None:
    id = furnish_fully(own_house, keeper, "gloxinia")
    then = own_house.execute("select clock_timestamp()")[0][0]
    assert {"knowledge", "observation", "lifecycle_change"} <= mentions(own_house, "gloxinia")
    assert {
        "knowledge",
        "embedding",
        "entity_mention",
        "recall_document",
        "relation",
        "lifecycle_change",
        "knowledge_source",
    } <= (mentions(own_house, str(id)))
    keeper.write("select memhouse.erase(%s)", id)
    assert mentions(own_house, "gloxinia") == set()
    assert mentions(own_house, str(id)) == KEEPERS
    assert not keeper.sees(id, known_at=then)
    ((by, role),) = own_house.execute(
        """select c.credential_name, l.db_role from memhouse.tombstone as t
           join memhouse.credential as c on c.credential_id = t.erased_by
           join memhouse.audit_log as l on l.target_id = t.id and l.action = 'erase' where t.id = %s""",
        id,
    )
    assert (by, role) == ("keeper", "app_writer")


def test_a_source_goes_with_its_last_statement_only(own_house: House, keeper: Hand) -> None:
    def stands(source: object) -> bool:
        return bool(own_house.execute("select 1 from memhouse.observation where observation_id = %s", source))

    shared, alone, kept = (keeper.write("select memhouse.observe('acme', %s)", text) for text in ("a", "b", "c"))
    first = keeper.remember("First.", sources=[shared, alone])
    keeper.remember("Second.", sources=[shared])
    third = keeper.remember("Third.", sources=[kept])
    keeper.write("select memhouse.erase(%s)", first)
    assert (stands(shared), stands(alone)) == (True, False)
    keeper.write("select memhouse.erase(%s, p_keep_sources => true)", third)
    assert stands(kept)


def test_who_may_erase(own_house: House, keeper: Hand, sqlstate) -> None:
    erase = "select memhouse.erase(%s)"
    own_house.credential("member", ("acme", "member"), peer_key="eli", clearance="restricted")
    member, dana = Hand(own_house, "member"), Hand(own_house, "dana")
    id = keeper.remember("Somebody else's.")
    assert sqlstate(member.write, erase, id) == "MH014"
    assert sqlstate(Hand(own_house, "reader").write, erase, id) == "MH014"
    assert sqlstate(member.write, erase, uuid.uuid4()) == "MH015"
    assert sqlstate(member.read, erase, id) == "MH014"
    member.write(erase, member.remember("My own."))
    dana.write(erase, keeper.remember("Dana likes tea.", subject_peer="dana"))  # its subject
    keeper.write(erase, id)
    assert sqlstate(keeper.write, erase, id) == "MH015"
    redacted = keeper.remember("Redacted before.")
    keeper.move(redacted, "redacted")
    keeper.write(erase, redacted)


def test_erasing_a_person(own_house: House, keeper: Hand, sqlstate) -> None:
    own_house.execute("select memhouse.create_peer('acme', 'wilhelmina', 'Wilhelmina Quux')")
    own_house.credential(
        "wilhelmina-laptop", ("acme", "member"), kind="session", peer_key="wilhelmina", clearance="personal"
    )
    her = Hand(own_house, "wilhelmina-laptop")
    said = her.write("select memhouse.observe('acme', 'I have hay fever.', p_peer_key => 'wilhelmina')")
    her.remember("Has hay fever.", subject_peer="wilhelmina", sensitivity="personal", sources=[said])
    shared = her.remember("The office closes at six.")
    ((statements, observations, credentials),) = own_house.execute(
        "select * from memhouse.erase_peer('acme', 'wilhelmina')"
    )
    assert (statements, observations, credentials) == (1, 0, 1)  # the observation went with its statement
    assert mentions(own_house, "hay fever") == set()
    assert mentions(own_house, "quux") == set()
    # The log is append-only: it keeps the name that an administrator gave to a credential.
    assert mentions(own_house, "wilhelmina") <= {"audit_log"}
    assert sqlstate(her.read, "select 1") == "MH003"
    assert sqlstate(own_house.execute, "select * from memhouse.erase_peer('acme', 'wilhelmina')") == "MH006"
    assert keeper.sees(shared)  # what is about the scope is the scope's


def test_erasure_and_a_new_citation_race(own_house: House, keeper: Hand) -> None:
    """An observation that somebody cites while its last statement is erased stays, or the citation fails as a whole."""
    source = keeper.write("select memhouse.observe('acme', 'cited')")
    id = keeper.remember("Old extract.", sources=[source])
    citing = psycopg.connect(own_house.as_user("app_writer"))
    citing.execute("select from memhouse.begin_write(%s)", (keeper.token,))
    citing.execute("select memhouse.remember('acme', 'New extract.', p_sources => %s::uuid[])", ([str(source)],))
    with psycopg.connect(own_house.as_user("app_writer"), autocommit=True) as erasing:

        def erase() -> None:
            with erasing.transaction():
                erasing.execute("select from memhouse.begin_write(%s)", (keeper.token,))
                erasing.execute("select memhouse.erase(%s)", (id,))

        thread = threading.Thread(target=erase)
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()  # it waits for the citation
        citing.commit()
        citing.close()
        thread.join(10)
    cited = "select statement, observation_id from memhouse.knowledge join memhouse.knowledge_source using (account_id, knowledge_id)"
    assert own_house.execute(cited) == [("New extract.", source)]


@pytest.fixture
def bare_server(server: Server) -> Iterator[Server]:
    """A server of the test's own, whose files can be looked into."""
    with running(server.installation) as started:
        yield started


def files_with(folder: Path, needle: bytes) -> list[str]:
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()
    )


def test_the_files_of_the_server_hold_it_no_more(bare_server: Server) -> None:
    """As the documentation tells a DBA to do it: erase, vacuum full, checkpoint."""
    house_dsn = bare_server.dsn(bare_server.create_database())
    migrate(house_dsn)
    with bare_server.connect("postgres") as connection:
        create_logins(connection)
    house = furnish(house_dsn)
    house.credential("keeper", ("acme", "curator"), peer_key="eli", clearance="restricted")
    keeper = Hand(house, "keeper")
    # Random, so that no compression and no dictionary of ours could hold a part of it.
    marker = f"q{uuid.uuid4().hex}"
    for n in range(50):
        keeper.remember(f"Something else, number {n}.")
    id = furnish_fully(house, keeper, marker)
    data = Path(house.execute("show data_directory")[0][0])
    house.execute("analyze")
    house.execute("checkpoint")
    assert [name for name in files_with(data, marker.encode()) if name.startswith("base/")]

    keeper.write("select memhouse.erase(%s)", id)
    keeper.close()
    for table in ("knowledge", "observation", "embedding", "entity_mention", "recall_document", "lifecycle_change"):
        house.execute(f"vacuum (full, analyze) memhouse.{table}")
    for table in ("pg_statistic", "pg_statistic_ext_data"):
        house.execute(f"vacuum full pg_catalog.{table}")
    # The log of the server repeats it until its segments are recycled and written over; that takes traffic and time.
    house.execute("checkpoint")
    left = files_with(data, marker.encode())
    assert [name for name in left if not name.startswith("pg_wal/")] == []
