"""What is taken away is gone with the next read: of an open connection, of prepared statements, of generic plans."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator

import psycopg
import pytest

from support.fortress import Fortress, build
from support.servers import Server
from support.world import create_credential


class Tenant:
    """A reader on one open connection, with its statements prepared and planned generically."""

    def __init__(self, fortress: Fortress, **options: object) -> None:
        self.name = f"tenant-{uuid.uuid4().hex[:8]}"
        self.fortress = fortress
        with fortress.admin() as admin:
            self.token = create_credential(admin, "acme", self.name, granted=("open", "shut"), **options)
        # Without a threshold psycopg leaves prepared statements alone: it would forget them all with a rollback.
        self.conn = psycopg.connect(fortress.dsn(), autocommit=True, prepare_threshold=None)
        self.conn.execute("set plan_cache_mode = force_generic_plan")
        self.conn.execute("prepare begun (text) as select reader_posture from memhouse.begin_read($1)")
        self.conn.execute("prepare chosen as select knowledge_id from memhouse.knowledge")
        self.conn.execute("prepare found as select id from memhouse.search('topic', p_limit => 100)")

    def begin(self) -> None:
        self.conn.execute("begin")
        self.conn.execute(f"execute begun ('{self.token}')")

    def sees(self) -> set[uuid.UUID]:
        chosen = {row[0] for row in self.conn.execute("execute chosen")}
        assert {row[0] for row in self.conn.execute("execute found")} <= chosen
        return chosen

    def end(self) -> None:
        self.conn.execute("rollback")


@pytest.fixture(scope="module")
def changing(server: Server, database: str) -> Iterator[Fortress]:
    fortress = build(server, database)
    yield fortress
    server.drop_database(fortress.name)


@pytest.fixture
def tenant(changing: Fortress) -> Iterator[Tenant]:
    made = Tenant(changing, peer_key="mia", clearance="restricted")
    yield made
    made.conn.close()


AUTHORITY = {
    "credential revoked": "select memhouse.revoke_credential('acme', %(name)s)",
    "grant taken back": "select memhouse.revoke_scope('acme', %(name)s, 'shut')",
    "scope denied": "select memhouse.grant_scope('acme', %(name)s, 'shut', p_effect => 'deny')",
    "clearance lowered": "select memhouse.set_clearance('acme', %(name)s, 'internal')",
    "peer changed": """update memhouse.credential set peer_id = (select peer_id from memhouse.peer as p join memhouse.account using (account_id)
        where account_key = 'acme' and peer_key = 'noa') where credential_name = %(name)s""",
    "expired": "update memhouse.credential set expires_at = now() where credential_name = %(name)s",
    "grant deleted by hand": """delete from memhouse.scope_grant using memhouse.credential as c
        where c.credential_id = scope_grant.credential_id and c.credential_name = %(name)s""",
    "token renewed": "select memhouse.renew_credential('acme', %(name)s)",
}


@pytest.mark.parametrize("change", AUTHORITY)
def test_authority(changing: Fortress, tenant: Tenant, change: str) -> None:
    for _ in range(6):
        tenant.begin()
        before = tenant.sees()
        tenant.end()
    tenant.begin()
    assert tenant.sees() == before
    with changing.admin() as admin:
        admin.execute(AUTHORITY[change], {"name": tenant.name})
    # The posture begun before does not outlive it, not even within its transaction,
    for statement in ("execute chosen", "execute found", "select * from memhouse.list_knowledge()"):
        tenant.conn.execute("savepoint s")
        with pytest.raises(psycopg.Error) as refused:
            tenant.conn.execute(statement)
        assert refused.value.sqlstate == "MH023"
        tenant.conn.execute("rollback to s")
    tenant.end()
    # and the next one has the new authority.
    try:
        tenant.begin()
    except psycopg.Error as error:
        assert error.sqlstate in ("MH003", "MH004", "MH005")
    else:
        after = tenant.sees()
        assert after != before
        if change != "peer changed":
            assert after < before
    tenant.end()


def test_a_cursor_stops_when_its_credential_does(changing: Fortress, tenant: Tenant) -> None:
    tenant.begin()
    tenant.conn.execute("declare c cursor for select statement from memhouse.knowledge")
    tenant.conn.execute("fetch 1 from c")
    with changing.admin() as admin:
        admin.execute("select memhouse.revoke_credential('acme', %s)", (tenant.name,))
    with pytest.raises(psycopg.Error) as refused:
        tenant.conn.execute("fetch all from c")
    assert refused.value.sqlstate == "MH023"


def test_a_scope_moved_out_of_reach(changing: Fortress, tenant: Tenant) -> None:
    tenant.begin()
    before = tenant.sees()
    with changing.admin() as admin:
        admin.execute("select memhouse.move_scope('acme', 'open/below', 'elsewhere')")
    with pytest.raises(psycopg.Error) as refused:
        tenant.sees()
    assert refused.value.sqlstate == "MH023"
    tenant.end()
    tenant.begin()
    assert tenant.sees() < before
    tenant.end()
    with changing.admin() as admin:
        admin.execute("select memhouse.move_scope('acme', 'open/below', 'open')")


ROW_CHANGES = {
    "sensitivity raised": (
        "update memhouse.knowledge set sensitivity = 'restricted' where knowledge_id = %s",
        "internal",
    ),
    "deprecated": (
        "update memhouse.knowledge set lifecycle_state = 'deprecated', active_during = '{}',"
        " provisional_during = '{}' where knowledge_id = %s",
        "internal",
    ),
    "redacted": ("update memhouse.knowledge set lifecycle_state = 'redacted' where knowledge_id = %s", "internal"),
    "expired": ("update memhouse.knowledge set expires_at = clock_timestamp() where knowledge_id = %s", "internal"),
    "revalidation due": (
        "update memhouse.knowledge set revalidate_at = clock_timestamp() where knowledge_id = %s",
        "internal",
    ),
    "erased": ("delete from memhouse.knowledge where knowledge_id = %s", "internal"),
}


@pytest.mark.parametrize("change", ROW_CHANGES)
def test_rows(changing: Fortress, change: str) -> None:
    statement, clearance = ROW_CHANGES[change]
    tenant = Tenant(changing, peer_key="noa", clearance=clearance)
    tenant.begin()
    before = tenant.sees()
    active = {row.id for row in changing.rows if row.state == "active"}
    lost = next(iter(before & active))
    with changing.admin() as admin:
        admin.execute(statement, (lost,))
    assert tenant.sees() == before - {lost}
    tenant.conn.close()


def test_keys_rotate_under_load(changing: Fortress) -> None:
    """Reads go on while keys change: the one before still verifies."""
    stop = threading.Event()
    failures: list[str] = []
    reads = [0]

    def read() -> None:
        with psycopg.connect(changing.dsn()) as conn:
            while not stop.is_set():
                try:
                    with conn.transaction():
                        conn.execute("select from memhouse.begin_read(%s::text)", (changing.tokens["weak"],))
                        conn.execute("select from memhouse.search('topic')")
                        reads[0] += 1
                except psycopg.Error as error:
                    failures.append(f"{error.sqlstate} {error}")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for thread in readers:
        thread.start()
    with changing.admin() as admin:
        for _ in range(8):
            time.sleep(0.2)
            admin.execute("select memhouse.rotate_seal_key()")
        assert admin.execute("select count(*) from memhouse.seal_key").fetchone() == (2,)
    stop.set()
    for thread in readers:
        thread.join()
    assert failures == []
    assert reads[0] > 8


def test_a_key_that_was_forgotten_verifies_nothing(changing: Fortress, tenant: Tenant) -> None:
    tenant.begin()
    with changing.admin() as admin:
        admin.execute("select memhouse.rotate_seal_key()")
        tenant.sees()
        admin.execute("select memhouse.rotate_seal_key()")
    with pytest.raises(psycopg.Error) as refused:
        tenant.sees()
    assert refused.value.sqlstate == "MH002"


@pytest.mark.parametrize(
    ("prepare", "sqlstate"),
    [
        (lambda admin, name: admin.execute("select memhouse.revoke_credential('acme', %s)", (name,)), "MH004"),
        (
            lambda admin, name: admin.execute(
                "update memhouse.credential set expires_at = now() where credential_name = %s", (name,)
            ),
            "MH005",
        ),
    ],
)
def test_a_dead_token(changing: Fortress, prepare: Callable[[psycopg.Connection, str], object], sqlstate: str) -> None:
    tenant = Tenant(changing)
    with changing.admin() as admin:
        prepare(admin, tenant.name)
    with pytest.raises(psycopg.Error) as refused:
        tenant.begin()
    assert refused.value.sqlstate == sqlstate
    tenant.conn.close()
