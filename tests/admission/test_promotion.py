"""Above peer level only with the recorded consent of the peer."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest

from support.fortress import Fortress, build
from support.servers import Server
from support.world import create_credential


class Office:
    """dana is written about, lee writes, ned only reads; nobody has a credential without a peer."""

    def __init__(self, fortress: Fortress) -> None:
        self.fortress = fortress
        with fortress.admin() as admin:
            for peer in ("dana", "lee", "ned"):
                admin.execute("select memhouse.create_peer('acme', %s)", (peer,))
            self.tokens = {
                name: create_credential(
                    admin, "acme", f"office-{name}", granted=("open",), role=role, peer_key=peer, clearance="personal"
                )
                for name, peer, role in (
                    ("dana", "dana", "reader"),
                    ("lee", "lee", "member"),
                    ("ned", "ned", "reader"),
                    ("nobody", None, "admin"),
                )
            }
        self.conn = psycopg.connect(fortress.dsn("app_author"), autocommit=True)

    def write(self, who: str, query: str, *parameters: object) -> object:
        with self.conn.transaction():
            self.conn.execute("select from memhouse.begin_write(%s::text)", (self.tokens[who],))
            row = self.conn.execute(query, parameters).fetchone()
            return None if row is None else row[0]

    def refused(self, who: str, query: str, *parameters: object) -> str:
        with pytest.raises(psycopg.Error) as caught:
            self.write(who, query, *parameters)
        return caught.value.sqlstate or ""

    def about_dana(self, sensitivity: str = "personal") -> uuid.UUID:
        id = self.write(
            "lee", "select memhouse.remember('open', 'Dana prefers tea.', 'dana', 'preference', %s)", sensitivity
        )
        assert isinstance(id, uuid.UUID)
        return id

    def sees(self, who: str, id: uuid.UUID) -> bool:
        with self.conn.transaction():
            self.conn.execute("select from memhouse.begin_read(%s::text)", (self.tokens[who],))
            return self.conn.execute("select from memhouse.knowledge where knowledge_id = %s", (id,)).rowcount == 1

    def audited(self, id: uuid.UUID) -> list[str]:
        with self.fortress.admin() as admin:
            return [
                row[0]
                for row in admin.execute(
                    "select action from memhouse.audit_log where target_id = %s order by audit_id", (id,)
                )
            ]


@pytest.fixture(scope="module")
def office(server: Server, database: str) -> Iterator[Office]:
    fortress = build(server, database)
    made = Office(fortress)
    yield made
    made.conn.close()
    server.drop_database(fortress.name)


def test_consent_opens_and_its_withdrawal_closes(office: Office) -> None:
    id = office.about_dana()
    assert not office.sees("ned", id)
    assert office.write("lee", "select memhouse.propose_promotion(%s, 'scope')", id) == "proposed"
    assert office.write("lee", "select memhouse.propose_promotion(%s, 'scope')", id) == "proposed"
    assert not office.sees("ned", id)
    assert office.write("dana", "select count(*) from memhouse.promotions()") == 1
    assert office.write("dana", "select memhouse.consent(%s)", id) == "scope"
    assert office.sees("ned", id)
    assert not office.sees("nobody", id)
    assert office.write("dana", "select memhouse.decline(%s, 'not any more')", id) == "withdrawn"
    assert not office.sees("ned", id)
    assert office.audited(id) == ["remember", "propose_promotion", "consent", "withdraw_consent"]


def test_a_refusal_leaves_it_where_it_is(office: Office) -> None:
    id = office.about_dana()
    office.write("lee", "select memhouse.propose_promotion(%s, 'account')", id)
    assert office.write("dana", "select memhouse.decline(%s, 'mine')", id) == "declined"
    assert office.refused("dana", "select memhouse.consent(%s)", id) == "MH016"
    assert not office.sees("ned", id)
    assert office.audited(id) == ["remember", "propose_promotion", "decline"]


@pytest.mark.parametrize("who", ["lee", "ned", "nobody"])
def test_nobody_else_consents(office: Office, who: str) -> None:
    # Internal, so that all of them see it and may be told that it is not theirs.
    id = office.about_dana("internal" if who != "nobody" else "public")
    office.write("lee", "select memhouse.propose_promotion(%s, 'scope')", id)
    for call in ("consent", "decline"):
        assert office.refused(who, f"select memhouse.{call}(%s)", id) == "MH022"
    hidden = office.about_dana("personal")
    office.write("lee", "select memhouse.propose_promotion(%s, 'scope')", hidden)
    assert office.refused(who, "select memhouse.consent(%s)", hidden) == "MH015"
    assert office.audited(id) == ["remember", "propose_promotion"]


def test_naming_the_peer_is_not_being_it(office: Office) -> None:
    id = office.about_dana()
    office.write("lee", "select memhouse.propose_promotion(%s, 'scope')", id)
    for who in ("ned", "nobody"):
        with pytest.raises(psycopg.Error) as refused, office.conn.transaction():
            office.conn.execute("select from memhouse.begin_read(%s::text, 'dana')", (office.tokens[who],))
            assert office.conn.execute(
                "select count(*) from memhouse.knowledge where knowledge_id = %s", (id,)
            ).fetchone() == (1,)
            office.conn.execute("select memhouse.consent(%s)", (id,))
        assert refused.value.sqlstate == "MH014"


def test_no_level_without_consent(office: Office) -> None:
    assert office.refused("lee", "select memhouse.remember('open', 'x', 'dana', p_target_level => 'scope')") == "MH022"
    id = office.about_dana()
    with office.fortress.admin() as admin, pytest.raises(psycopg.Error) as refused:
        admin.execute("update memhouse.knowledge set target_level = 'account' where knowledge_id = %s", (id,))
    assert refused.value.sqlstate == "MH022"
    # Consent to one level is no consent to a higher one.
    office.write("lee", "select memhouse.propose_promotion(%s, 'scope')", id)
    office.write("dana", "select memhouse.consent(%s)", id)
    with office.fortress.admin() as admin, pytest.raises(psycopg.Error) as refused:
        admin.execute("update memhouse.knowledge set target_level = 'account' where knowledge_id = %s", (id,))
    assert refused.value.sqlstate == "MH022"
    assert office.write("lee", "select memhouse.propose_promotion(%s, 'account')", id) == "proposed"
    assert office.write("dana", "select memhouse.consent(%s)", id) == "account"


def test_what_is_proposed(office: Office) -> None:
    scope_statement = office.write("lee", "select memhouse.remember('open', 'The office is open.')")
    assert office.write("lee", "select memhouse.propose_promotion(%s, 'account')", scope_statement) == "promoted"
    assert office.refused("lee", "select memhouse.propose_promotion(%s, 'account')", scope_statement) == "MH010"
    id = office.about_dana()
    assert office.refused("lee", "select memhouse.propose_promotion(%s, 'peer')", id) == "MH010"
    assert office.refused("ned", "select memhouse.propose_promotion(%s, 'scope')", id) == "MH015"
    office.write("lee", "select memhouse.propose_promotion(%s, 'scope')", id)
    assert office.refused("lee", "select memhouse.propose_promotion(%s, 'account')", id) == "MH017"
    office.write("lee", "select memhouse.transition(%s, 'deprecated')", id)
    assert office.refused("lee", "select memhouse.propose_promotion(%s, 'scope')", id) == "MH016"
