"""Promotion through the clients: proposed by a writer, decided by the subject, seen by the next read."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from memhouse_thin import AsyncClient, Promotion, errors
from support.house import House


@pytest.fixture(scope="module", autouse=True)
def eli(house: House) -> None:
    house.credential("eli", ("acme", "reader"), peer_key="eli", clearance="personal")


def about_dana(house: House, **options: str) -> UUID:
    given = {"scope": "acme", "subject_peer": "dana", "sensitivity": "personal", **options}
    with house.client() as client:
        return client.remember("Dana prefers tea.", **given)


def seen_by_eli(house: House, id: UUID) -> bool:
    with house.client("eli") as client:
        return id in {item.id for item in client.list_knowledge(limit=100)}


def promotions(house: House, credential: str, id: UUID) -> list[Promotion]:
    with house.client(credential) as client:
        return [item for item in client.promotions() if item.id == id]


def test_consent_opens_and_its_withdrawal_closes(house: House) -> None:
    id = about_dana(house)
    with house.client() as writer, house.client("dana") as dana:
        assert writer.propose_promotion(id, "scope") == "proposed"
        assert writer.propose_promotion(str(id), "scope") == "proposed"
        (waiting,) = promotions(house, "dana", id)
        assert (waiting.statement, waiting.subject_peer, waiting.target_level) == ("Dana prefers tea.", "dana", "scope")
        assert (waiting.state, waiting.decided_at, waiting.reason) == ("proposed", None, None)
        assert abs(datetime.now(UTC) - waiting.proposed_at) < timedelta(minutes=5)
        assert not seen_by_eli(house, id)

        assert dana.consent(id) == "scope"
        assert seen_by_eli(house, id)
        (given,) = promotions(house, "dana", id)
        assert given.state == "consented" and given.decided_at >= given.proposed_at

        assert dana.decline(id, reason="not any more") == "withdrawn"
        assert not seen_by_eli(house, id)
        (taken_back,) = promotions(house, "dana", id)
        assert (taken_back.state, taken_back.reason) == ("declined", "not any more")


def test_a_refusal_leaves_it_where_it_is(house: House) -> None:
    id = about_dana(house)
    with house.client() as writer, house.client("dana") as dana:
        writer.propose_promotion(id, "account")
        assert dana.decline(id) == "declined"
        with pytest.raises(errors.TransitionInvalid):
            dana.consent(id)
    assert not seen_by_eli(house, id)


def test_what_is_about_the_scope_asks_nobody(house: House) -> None:
    with house.client() as writer:
        id = writer.remember("The office is open.", scope="acme")
        assert writer.propose_promotion(id, "account") == "promoted"
    with house.client("dana") as dana:
        assert {item.id: item.target_level for item in dana.list_knowledge(limit=100)}[id] == "account"
    assert promotions(house, "dana", id) == []


def test_who_is_told_of_it(house: House) -> None:
    hidden, public = about_dana(house), about_dana(house, sensitivity="public")
    with house.client() as writer:
        for id in (hidden, public):
            writer.propose_promotion(id, "scope")
    # The writer proposed both and can read one; eli can read one and has nothing to do with either.
    assert [len(promotions(house, who, hidden)) for who in ("dana", "bot", "eli")] == [1, 0, 0]
    assert [len(promotions(house, who, public)) for who in ("dana", "bot", "eli")] == [1, 1, 0]


def test_refusals(house: House) -> None:
    hidden, public = about_dana(house), about_dana(house, sensitivity="public")
    with house.client() as writer, house.client("eli") as eli, house.client("dana") as dana:
        writer.propose_promotion(public, "scope")
        for decide in (eli.consent, eli.decline):
            with pytest.raises(errors.ConsentRequired):
                decide(public)
            for id in (hidden, uuid4()):
                with pytest.raises(errors.NotFound):
                    decide(id)
        with pytest.raises(errors.AlreadyExists):
            writer.propose_promotion(public, "account")
        with pytest.raises(errors.WriteNotPermitted):
            eli.propose_promotion(public, "scope")
        with pytest.raises(errors.TransitionInvalid):
            dana.decline(hidden)
        for arguments in (("nonsense", "scope"), (public, "peer"), (public, "sc\x00pe")):
            with pytest.raises(errors.ArgumentInvalid):
                writer.propose_promotion(*arguments)
        with pytest.raises(errors.ArgumentInvalid):
            dana.decline(public, reason="x" * 2001)
    assert promotions(house, "dana", public)[0].state == "proposed"


def test_the_asynchronous_client_decides_alike(house: House) -> None:
    id = about_dana(house)

    async def decide() -> list[str]:
        dsn = house.as_user("app_writer")
        async with (
            AsyncClient(dsn, credential=house.tokens["bot"]) as writer,
            AsyncClient(dsn, credential=house.tokens["dana"]) as dana,
        ):
            said = [await writer.propose_promotion(id, "scope"), await dana.consent(id), await dana.decline(id)]
            return [*said, *(item.state for item in await dana.promotions() if item.id == id)]

    assert asyncio.run(decide()) == ["proposed", "scope", "withdrawn", "declined"]
