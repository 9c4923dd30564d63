"""``python -m bench.oracle --dsn DSN [--rows N] [--rounds N]``.

Whether time tells what is hidden: a weak reader asks for a name that stands only in rows hidden from it (restricted ones
and another peer's), and for one that stands nowhere, turn by turn in one run; for vectors near hidden ones and near none,
all of its rows compared and by the HNSW index; names a hidden row, and none, to calls that take an id or a source key; and
authenticates with a token that never was and one that was revoked. Prints the distributions. The role must be a superuser's.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import uuid
from collections.abc import Callable
from functools import partial

import psycopg

from bench.admission.corpus import ACCOUNT, embed, load, token

#: name, hidden rows that hold it; its words are in the full-text index, and it in the index of mentions
HIDDEN = {"zanzibarite": 1, "quellenkunde": 100, "orinocoward": 2_000}
ABSENT = "nowhereword"
#: Each name has a direction among the vectors, in which nothing lies but the rows that hold it.
DIRECTIONS = (ABSENT, *HIDDEN)
#: Calls that name a statement, some statements, or a source key, in a write posture.
CALLS = {
    "`lifecycle_history`": "select memhouse.lifecycle_history(%(id)s)",
    "`transition`": "select memhouse.transition(%(id)s, 'deprecated')",
    "`erase`": "select memhouse.erase(%(id)s)",
    "`consent`": "select memhouse.consent(%(id)s)",
    "`relate`": "select memhouse.relate(%(id)s, %(other)s, 'supports')",
    "`store_token_vectors`": "select memhouse.store_token_vectors(%(id)s, 'm@1', '\\x01')",
    "`rerank_vectors` of 100": "select memhouse.rerank_vectors(%(ids)s, 'm@1')",
    "`observe` by source key": "select memhouse.observe('scope-1', 'x', p_source_key => %(key)s)",
    "`remember` by source key": "select memhouse.remember('scope-1', 'x', p_source_key => %(key)s)",
    "`list_knowledge` by source": "select memhouse.list_knowledge(jsonb_build_object('source', %(key)s::text))",
}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.oracle", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    with psycopg.connect(options.dsn, autocommit=True) as conn:
        load(conn, options.rows)
        _hide(conn)
        reader = token(conn, 3)
        revoked = token(conn, 1)
        conn.execute(
            "select memhouse.revoke_credential(%s, (select max(credential_name) from memhouse.credential where token_hash = sha256(%s::bytea)))",
            (ACCOUNT, revoked),
        )
        print(f"PostgreSQL {conn.info.server_version // 10000}, {options.rounds} rounds, milliseconds\n")
        print("| asked for | p5 | p50 | p95 | p50 against absent |")
        print("|---|---|---|---|---|")
        searches = {
            "absent": ABSENT,
            "absent, again": ABSENT,
            **{f"hidden in {n} rows": term for term, n in HIDDEN.items()},
        }
        _compare(
            _rounds(options.rounds, {name: partial(_search, conn, reader, term) for name, term in searches.items()}),
            "absent",
        )
        (rows,) = conn.execute("select value from memhouse.server_setting where name = 'exact_scan_rows'").fetchone()
        for how, exact_rows in (("all of its vectors compared", rows), ("by the HNSW index", 1_000)):
            conn.execute("select memhouse.set_server_setting('exact_scan_rows', %s)", (exact_rows,))
            print(f"\n| vectors asked for, {how} | p5 | p50 | p95 | p50 against absent |")
            print("|---|---|---|---|---|")
            _compare(
                _rounds(
                    options.rounds, {name: partial(_nearest, conn, reader, term) for name, term in searches.items()}
                ),
                "absent",
            )
        conn.execute("select memhouse.set_server_setting('exact_scan_rows', %s)", (rows,))
        _compare_calls(conn, token(conn, 3, "member"), options.rounds)
        print("\n| token | p5 | p50 | p95 | p50 against unknown |")
        print("|---|---|---|---|---|")
        tokens = {
            "unknown": "mh_" + "a" * 43,
            "unknown, again": "mh_" + "b" * 43,
            "not a token": "x",
            "revoked": revoked,
        }
        _compare(
            _rounds(options.rounds, {name: partial(_authenticate, conn, value) for name, value in tokens.items()}),
            "unknown",
        )
    return 0


def _hide(conn: psycopg.Connection) -> None:
    for term, rows in HIDDEN.items():
        conn.execute(
            """insert into memhouse.knowledge (account_id, knowledge_id, scope_id, kind, statement, sensitivity, target_level,
                   lifecycle_state, active_during, confidence, subject_peer_id, source_key)
               select s.account_id, memhouse.uuid_v7(), s.scope_id, 'fact', format('Hidden note %%s about %%s.', i, %s::text),
                   case when i %% 2 = 0 then 'personal' else 'restricted' end::memhouse.sensitivity,
                   case when i %% 2 = 0 then 'peer' else 'scope' end::memhouse.target_level,
                   'active', tstzmultirange(tstzrange(now(), null)), 1, case when i %% 2 = 0 then p.peer_id end,
                   format('%%s-%%s', %s::text, i)
               from memhouse.scope as s join memhouse.account as a using (account_id)
               join memhouse.peer as p using (account_id), generate_series(1, %s) as i
               where a.account_key = %s and s.scope_key = 'scope-1' and p.peer_key = 'peer-2'
                 and not exists (select from memhouse.knowledge where tsv @@ plainto_tsquery('english', %s))""",
            (term.capitalize(), term, rows, ACCOUNT, term),
        )
    conn.execute(
        """insert into memhouse.observation (account_id, observation_id, scope_id, role, content, sensitivity, occurred_at, source_key)
           select account_id, memhouse.uuid_v7(), scope_id, 'user', statement, 'restricted', now(), source_key
           from memhouse.knowledge where statement like 'Hidden note %' on conflict do nothing"""
    )
    conn.execute(
        """insert into memhouse.token_vectors (account_id, knowledge_id, model, bits)
           select account_id, knowledge_id, 'm@1', '\\x01' from memhouse.knowledge on conflict do nothing"""
    )
    embed(conn)
    for term in HIDDEN:
        conn.execute(
            """update memhouse.embedding as e set vec = %s::halfvec
               from memhouse.knowledge as k
               where k.account_id = e.account_id and k.knowledge_id = e.knowledge_id and k.statement like 'Hidden note %%' || %s || '.'""",
            (_direction(term), term.capitalize()),
        )
    conn.execute("vacuum analyze")


def _direction(term: str) -> str:
    return str([float(n == DIRECTIONS.index(term)) for n in range(64)])


def _search(conn: psycopg.Connection, reader: str, term: str) -> None:
    with conn.transaction():
        conn.execute("select from memhouse.begin_read(%s::text)", (reader,))
        assert conn.execute("select from memhouse.search(%s)", (term,)).rowcount == 0


def _nearest(conn: psycopg.Connection, reader: str, term: str) -> None:
    with conn.transaction():
        conn.execute("select from memhouse.begin_read(%s::text)", (reader,))
        found = conn.execute("select from memhouse.search('x', %s, 'fast')", (_direction(term),))
        assert found.rowcount == 12


def _compare_calls(conn: psycopg.Connection, writer: str, rounds: int) -> None:
    """Each call for hidden ids or a hidden row's key, and for such as are nowhere; what it writes is rolled back at once."""
    hidden = [
        id
        for (id,) in conn.execute(
            "select knowledge_id from memhouse.knowledge where statement like 'Hidden note %' limit 100"
        )
    ]
    names = {
        "absent": ([uuid.UUID(int=id.int ^ 1) for id in hidden], f"{ABSENT}-1"),
        "hidden": (hidden, f"{next(iter(HIDDEN))}-1"),
    }
    print("\n| call by id or key | p50 absent | p50 hidden | hidden against absent |")
    print("|---|---|---|---|")
    with conn.transaction(force_rollback=True):
        conn.execute("select from memhouse.begin_write(%s::text)", (writer,))
        conn.execute("savepoint call")
        for name, call in CALLS.items():
            times = _rounds(
                rounds,
                {
                    which: partial(_call, conn, call, {"id": ids[0], "other": ids[1], "ids": ids, "key": key})
                    for which, (ids, key) in names.items()
                },
                after=partial(conn.execute, "rollback to savepoint call"),
            )
            absent, found = (statistics.median(times[which]) for which in names)
            print(f"| {name} | {absent:.3f} | {found:.3f} | {found / absent:.2f} |")


def _call(conn: psycopg.Connection, call: str, names: dict[str, object]) -> None:
    try:
        conn.execute(call, names)
    except psycopg.Error as error:
        if error.sqlstate != "MH015":
            raise


def _authenticate(conn: psycopg.Connection, value: str) -> None:
    try:
        conn.execute("select from memhouse.begin_read(%s::text)", (value,))
    except psycopg.Error:
        return
    raise AssertionError("the token should be refused")


def _rounds(
    rounds: int, calls: dict[str, Callable[[], None]], after: Callable[[], object] = lambda: None
) -> dict[str, list[float]]:
    """Every call once a round, so that all share the machine's moods; the first tenth is warming up."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + rounds // 10):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            if number >= rounds // 10:
                times[name].append((time.perf_counter() - started) * 1000)
            after()
    return times


def _compare(times: dict[str, list[float]], against: str) -> None:
    base = statistics.median(times[against])
    for name, sample in times.items():
        cuts = statistics.quantiles(sample, n=20)
        print(
            f"| {name} | {cuts[0]:.2f} | {statistics.median(sample):.2f} | {cuts[-1]:.2f} | {statistics.median(sample) / base:.2f} |"
        )


if __name__ == "__main__":
    sys.exit(main())
