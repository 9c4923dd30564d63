"""Archives: an account goes from one database to another, whole and unchanged or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memhouse_thin import archive
from memhouse_thin.errors import AlreadyExists, ArgumentInvalid, MemhouseError
from memhouse_thin.migrate import migrate
from support.hand import Hand
from support.house import House
from support.roles import create_logins
from support.servers import Server, installations, running

# Made again where an archive is restored; claims last no longer than a transaction.
NOT_KEPT = {"embedding", "entity_indexed", "entity_mention", "recall_document", "source_key_claim", "token_vectors"}


@pytest.fixture(scope="module")
def elsewhere(server: Server) -> Iterator[Server]:
    """A server of another version than the one under test, where this machine has one."""
    others = [found for found in installations() if found.id != server.id]
    with running(others[-1] if others else server.installation) as started:
        yield started


@pytest.fixture
def target(elsewhere: Server) -> House:
    name = elsewhere.create_database()
    migrate(elsewhere.dsn(name))
    with elsewhere.connect("postgres") as connection:
        if not connection.execute("select 1 from pg_roles where rolname = 'app_writer'").fetchone():
            create_logins(connection)
    return House(elsewhere.dsn(name))


@pytest.fixture
def lived_in(own_house: House) -> House:
    """An account with something in every table that an archive holds."""
    own_house.credential("curator", ("acme", "curator"), peer_key="eli", clearance="restricted")
    own_house.execute("select memhouse.set_account_setting('acme', 'disclose_authorization_filtered', 'true')")
    own_house.execute("select memhouse.set_profile('acme', 'acme', 'balanced', '{\"deadline_ms\": 250}')")
    own_house.execute("select memhouse.link_scopes('acme', 'acme/billing', 'acme/hr')")
    own_house.execute("select memhouse.grant_scope('acme', 'billing', 'acme/hr', 'reader', 'deny')")
    own_house.execute("select memhouse.create_credential('acme', 'gone')")
    own_house.execute("select memhouse.revoke_credential('acme', 'gone')")
    hand, dana = Hand(own_house, "curator"), Hand(own_house, "dana")
    source = hand.write(
        "select memhouse.observe('acme', 'Umlauts äöü, 日本, \"quotes\", \\ and\nlines', p_metadata => '{\"n\": 1.10, \"big\": 123456789012345678901234567890}')"
    )
    first = hand.remember(
        "Billing runs at 02:00.",
        confidence="0.1",
        sources=[source],
        relevant_from="-infinity",
        relevant_until="infinity",
    )
    second = hand.remember("Billing runs at 03:00.", expires_at="infinity", embedding=str([1.0] * 16), source_key="k")
    hand.relate(second, first, "supersedes")
    private = dana.remember("Likes tea.", subject_peer="dana", sensitivity="personal")
    dana.write("select memhouse.propose_promotion(%s, 'scope')", private)
    dana.write("select memhouse.consent(%s)", private)
    hand.write("select memhouse.erase(%s)", hand.remember("Erased."))
    hand.write("select memhouse.set_revalidation(%s, now() + interval '1 year')", second)
    own_house.execute(
        """insert into memhouse.entity_alias (account_id, alias_key, name_key, confirmed)
           select account_id, 'bill', 'billing', true from memhouse.account"""
    )
    return own_house


def lines(path: Path) -> list[str]:
    """The rows of an archive, without the log entries that exporting and restoring add."""
    rows = path.read_text().splitlines()[1:-1]
    return [row for row in rows if json.loads(row)["row"].get("action") not in ("export_account", "restore_account")]


def test_an_archive_holds_every_table_of_an_account_that_is_no_projection(db: psycopg.Connection) -> None:
    tables = db.execute(
        """select c.relname from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attname = 'account_id'
           where c.relnamespace = 'memhouse'::regnamespace and c.relkind in ('r', 'p')"""
    ).fetchall()
    archived = db.execute("select table_name from memhouse._archived()").fetchall()
    assert {name for (name,) in tables} == {name for (name,) in archived} | NOT_KEPT


def test_round_trip_into_another_version(lived_in: House, target: House, tmp_path: Path) -> None:
    out, again = tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    exported = archive.export_to(lived_in.dsn, "acme", out)
    assert all(exported.rows[table] for (table,) in lived_in.execute("select table_name from memhouse._archived()"))
    assert out.stat().st_mode & 0o077 == 0
    restored = archive.restore(target.dsn, out)
    assert (restored.rows, restored.sha256) == (exported.rows, exported.sha256)
    assert restored.credentials == ["bot", "dana", "reader", "billing", "curator"]
    archive.export_to(target.dsn, "acme", again)
    assert lines(again) == lines(out)

    # Nobody gets in with what the archive holds; a new token gets in as before.
    old = Hand(lived_in, "curator")
    target.tokens = {"curator": old.token}
    with pytest.raises(psycopg.Error) as refused:
        Hand(target, "curator").read("select 1")
    assert refused.value.sqlstate == "MH003"
    target.tokens["curator"] = target.execute("select memhouse.renew_credential('acme', 'curator')")[0][0]
    new = Hand(target, "curator")
    question = (
        "select id, statement, scope, recorded_at, sources from memhouse.search('billing', p_profile => 'thorough')"
    )
    assert new.read(question) == old.read(question) != []
    assert new.read(question, known_at="2026-01-01") == []
    assert new.state(old.read(question)[0][0]) == "active"


def test_an_archive_says_nothing_secret(lived_in: House, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    archive.export_to(lived_in.dsn, "acme", path)
    text = path.read_text()
    assert "token_hash" not in text
    assert not any(token in text for token in lived_in.tokens.values())


def test_consistent_while_others_write(lived_in: House, target: House, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        hand = Hand(lived_in, "curator")
        while not stop.is_set():
            source = hand.write("select memhouse.observe('acme', 'noise')")
            hand.remember("Noise.", sources=[source])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(5):
            path = tmp_path / f"{n}.jsonl"
            report = archive.export_to(lived_in.dsn, "acme", path)
            assert sum(
                json.loads(line)["row"].get("statement") == "Noise." for line in path.read_text().splitlines()[1:-1]
            ) == (report.rows["knowledge_source"] - 1)
    finally:
        stop.set()
        writer.join()
    archive.restore(target.dsn, path)


@pytest.mark.parametrize("damage", ["changed", "cut", "shortened", "reordered", "foreign", "empty", "newer", "binary"])
def test_a_damaged_archive_is_refused(lived_in: House, target: House, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.jsonl"
    archive.export_to(lived_in.dsn, "acme", path)
    data = path.read_bytes()
    parts = data.splitlines(keepends=True)
    path.write_bytes(
        {
            "changed": data.replace(b"02:00", b"04:00"),
            "cut": data[: len(data) // 2],
            "shortened": b"".join(parts[:-1]),
            "reordered": b"".join([parts[0], *reversed(parts[1:-1]), parts[-1]]),
            "foreign": b'{"type": "scope", "scope": "acme"}\n',
            "empty": b"",
            "newer": data.replace(b'"format": 1', b'"format": 2', 1),
            "binary": os.urandom(5000),
        }[damage]
    )
    with pytest.raises(ArgumentInvalid):
        archive.restore(target.dsn, path)
    assert target.execute("select count(*) from memhouse.account") == [(0,)]


def test_a_restore_is_whole_or_did_not_happen(lived_in: House, target: House, tmp_path: Path) -> None:
    """A file whose checksum is right and whose rows are not: what somebody made, not what was exported."""
    path = tmp_path / "a.jsonl"
    archive.export_to(lived_in.dsn, "acme", path)
    forged = path.read_text().replace('"kind": "fact"', '"kind": "rumour"')
    body = "".join(line + "\n" for line in forged.splitlines()[:-1])
    foot = {"rows": body.count("\n") - 1, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    path.write_text(body + json.dumps(foot) + "\n")
    with pytest.raises(MemhouseError):
        archive.restore(target.dsn, path)
    assert target.execute("select count(*) from memhouse.account") == [(0,)]
    assert target.execute("select count(*) from memhouse.scope") == [(0,)]


def test_an_account_that_lives_is_not_restored_into(lived_in: House, tmp_path: Path, sqlstate) -> None:
    path = tmp_path / "a.jsonl"
    archive.export_to(lived_in.dsn, "acme", path)
    with pytest.raises(AlreadyExists):
        archive.restore(lived_in.dsn, path)
    row = next(json.loads(line)["row"] for line in lines(path) if json.loads(line)["table"] == "audit_log")
    add = "select memhouse.restore_rows(%s, %s::jsonb)"
    assert sqlstate(lived_in.execute, add, "audit_log", json.dumps([row])) == "MH010"
    assert sqlstate(lived_in.execute, add, "embedding", "[]") == "MH010"
    assert sqlstate(lived_in.execute, add, "knowledge", "{}") == "MH010"
    assert sqlstate(lived_in.execute, add, "knowledge", None) == "MH010"


def test_columns_that_this_version_does_not_have_are_refused(
    lived_in: House, target: House, tmp_path: Path, sqlstate
) -> None:
    path = tmp_path / "a.jsonl"
    archive.export_to(lived_in.dsn, "acme", path)
    row = json.loads(lines(path)[0])["row"]
    add = "select memhouse.restore_rows('account', %s::jsonb)"
    assert sqlstate(target.execute, add, json.dumps([{**row, "colour": "red"}])) == "MH010"
    # One that an older version did not have takes its default.
    del row["settings"]
    assert target.execute(add, json.dumps([row])) == [(1,)]
    assert target.execute("select settings from memhouse.account") == [({},)]


def test_export_needs_its_role_and_an_account(lived_in: House) -> None:
    with pytest.raises(MemhouseError) as refused:
        archive.export_account(lived_in.as_user("app_writer"), "acme", io.BytesIO())
    assert refused.value.sqlstate == "42501"
    with pytest.raises(MemhouseError) as unknown:
        archive.export_account(lived_in.dsn, "nobody", io.BytesIO())
    assert unknown.value.sqlstate == "MH018"
