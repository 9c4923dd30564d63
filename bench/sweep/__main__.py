"""``python -m bench.sweep --dsn DSN [--rows N] [--readers N]``.

Reads per second while nothing else happens, and while a sweep moves N statements that have expired. The database
must be migrated, and the role a superuser's. The statements are made first, in an account of their own, together
with as many that stay.
"""

from __future__ import annotations

import argparse
import threading
import time
from dataclasses import dataclass, field

import psycopg

ACCOUNT = "bench-sweep"
WORDS = [
    "invoice",
    "renderer",
    "freeze",
    "deploy",
    "canary",
    "ledger",
    "carrier",
    "pallet",
    "refund",
    "merchant",
    "parser",
    "retry",
    "queue",
    "shift",
    "depot",
]


@dataclass
class Readers:
    """Some connections that search without pause."""

    dsn: str
    token: str
    count: int
    latencies: list[float] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Readers:
        self._threads = [threading.Thread(target=self._read, args=(n,)) for n in range(self.count)]
        self._started = time.perf_counter()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self.seconds = time.perf_counter() - self._started

    def _read(self, n: int) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            while not self._stop.is_set():
                started = time.perf_counter()
                with conn.transaction():
                    conn.execute("select from memhouse.begin_read(%s)", (self.token,))
                    question = f"what became of lot{n % 4999} and lot{(n * 7) % 4999}?"
                    conn.execute("select id from memhouse.search(%s)", (question,)).fetchall()
                self.latencies.append(time.perf_counter() - started)
                n += 1

    def summary(self) -> str:
        ordered = sorted(self.latencies)
        p50, p99 = (1000 * ordered[int(len(ordered) * part)] for part in (0.5, 0.99))
        return f"{len(ordered) / self.seconds:8.1f} reads/s   p50 {p50:6.1f} ms   p99 {p99:6.1f} ms"


def load(dsn: str, rows: int) -> str:
    """An account with so many statements that are due and as many that are not; returns a reader's token."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        if not conn.execute("select 1 from memhouse.account where account_key = %s", (ACCOUNT,)).fetchone():
            conn.execute("select memhouse.create_account(%s)", (ACCOUNT,))
            conn.execute("select memhouse.create_scope(%s, 'bench')", (ACCOUNT,))
            conn.execute("select memhouse.create_peer(%s, 'reader')", (ACCOUNT,))
            conn.execute("select memhouse.create_credential(%s, 'reader', p_peer_key => 'reader')", (ACCOUNT,))
            conn.execute("select memhouse.grant_scope(%s, 'reader', 'bench', 'member')", (ACCOUNT,))
        token: str = conn.execute("select memhouse.renew_credential(%s, 'reader')", (ACCOUNT,)).fetchone()[0]
        remember = """select count(memhouse.remember('bench', (%(words)s::text[])[1 + n %% 15] || ' for lot' || n %% 4999,
                          p_expires_at => %(expires_at)s))
                      from generate_series(1, %(rows)s) as n"""
        for expires_at in (None, "2020-01-01"):
            with conn.transaction():
                conn.execute("select from memhouse.begin_write(%s)", (token,))
                conn.execute(remember, {"words": WORDS, "expires_at": expires_at, "rows": rows})
        conn.execute("vacuum analyze memhouse.knowledge")
    return token


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long to read without a sweep")
    options = parser.parse_args()
    token = load(options.dsn, options.rows)

    with Readers(options.dsn, token, options.readers) as before:
        time.sleep(options.seconds)
    moved, longest = 0, 0.0
    with Readers(options.dsn, token, options.readers) as during, psycopg.connect(options.dsn, autocommit=True) as conn:
        started = time.perf_counter()
        while True:
            call = time.perf_counter()
            (count,) = conn.execute("select memhouse.sweep_expired(p_max_ms => 2000)").fetchone() or (0,)
            longest = max(longest, time.perf_counter() - call)
            moved += count
            if not count:
                break
        sweeping = time.perf_counter() - started
    with Readers(options.dsn, token, options.readers) as after:
        time.sleep(options.seconds)

    print(f"{options.readers} readers, {options.rows:,} statements that stay and {options.rows:,} that expired")
    print(f"without a sweep   {before.summary()}")
    print(f"during the sweep  {during.summary()}")
    print(f"after it          {after.summary()}")
    rate = len(during.latencies) / during.seconds / (len(before.latencies) / before.seconds)
    print(
        f"ratio {rate:.2f}; {moved:,} statements in {sweeping:.1f} s, {moved / sweeping:,.0f} a second; longest call {longest:.1f} s"
    )


if __name__ == "__main__":
    main()
