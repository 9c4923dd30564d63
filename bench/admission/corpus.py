"""A corpus to measure admission on: one account among others, a reader who may see part of it."""

from __future__ import annotations

import psycopg

ACCOUNT = "bench-admission"
READER = "reader"


def load(conn: psycopg.Connection, rows: int) -> None:
    """Fills the account once: ten scopes, a hundred peers, every sensitivity; and a rival account of the same size."""
    if conn.execute("select 1 from memhouse.account where account_key = %s", (ACCOUNT,)).fetchone():
        return
    for account in (ACCOUNT, f"{ACCOUNT}-rival"):
        conn.execute("select memhouse.create_account(%s)", (account,))
        for number in range(10):
            conn.execute("select memhouse.create_scope(%s, %s)", (account, f"scope-{number}"))
        conn.execute("select memhouse.create_peer(%s, 'peer-' || i) from generate_series(0, 99) as i", (account,))
        conn.execute(
            """
            insert into memhouse.knowledge (
                account_id, knowledge_id, scope_id, subject_peer_id, kind, statement, sensitivity, target_level,
                lifecycle_state, active_during, confidence, recorded_at)
            select a.account_id, memhouse.uuid_v7(), s.ids[1 + i %% 10], case when i %% 3 = 0 then p.ids[1 + i %% 100] end,
                'fact', format('Note %%s: the %%s of order %%s was %%s at the %%s Depot %%s.', i,
                    (array['invoice', 'delivery', 'complaint', 'contract'])[1 + i %% 4], i %% 997,
                    (array['late', 'early', 'lost', 'paid', 'signed'])[1 + i %% 5], (array['North', 'South', 'Harbour'])[1 + i %% 3], i %% 60),
                (array['public', 'internal', 'internal', 'personal', 'restricted'])[1 + i %% 5]::memhouse.sensitivity,
                case when i %% 3 = 0 then 'peer' else 'scope' end::memhouse.target_level,
                'active', tstzmultirange(tstzrange(now(), null)), 1, now() - i * interval '1 minute'
            from memhouse.account as a
            cross join lateral (select array_agg(scope_id) as ids from memhouse.scope where account_id = a.account_id) as s
            cross join lateral (select array_agg(peer_id) as ids from memhouse.peer where account_id = a.account_id) as p
            cross join generate_series(1, %s) as i
            where a.account_key = %s
            """,
            (rows, account),
        )
    conn.execute("vacuum analyze memhouse.knowledge")


def embed(conn: psycopg.Connection) -> str:
    """Gives every statement a vector, and the mention index its names; a vector to ask with."""
    conn.execute("select memhouse.register_embedding_identity('bench', 'admission', '1', 64)")
    conn.execute("select setseed(0.5)")
    conn.execute(
        """
        insert into memhouse.embedding (account_id, knowledge_id, identity_id, vec)
        select k.account_id, k.knowledge_id, i.identity_id, (
            select array_agg(sin(get_byte(uuid_send(k.knowledge_id), 8 + n %% 8) * (n + 1)))::real[]::halfvec from generate_series(0, 63) as n)
        from memhouse.knowledge as k
        join memhouse.account as a using (account_id)
        join memhouse.embedding_identity as i on i.provider = 'bench' and i.model = 'admission'
        where a.account_key in (%s, %s)
        on conflict do nothing
        """,
        (ACCOUNT, f"{ACCOUNT}-rival"),
    )
    with conn.transaction():
        conn.execute("select from memhouse.begin_internal(%s)", (ACCOUNT,))
        conn.execute("select memhouse.rebuild_entities()")
    conn.execute(
        "select memhouse.switch_embedding_identity(%s, (select identity_key from memhouse.embedding_identity where provider = 'bench' and model = 'admission'), true)",
        (ACCOUNT,),
    )
    conn.execute("vacuum analyze")
    return str([float(n % 7 - 3) for n in range(64)])


def token(conn: psycopg.Connection, scopes: int, role: str = "reader") -> str:
    """A new credential with a role on some of the scopes, for peer-1."""
    name = f"{READER}-{conn.execute('select memhouse.uuid_v7()').fetchone()[0]}"
    (made,) = conn.execute(
        "select memhouse.create_credential(%s, %s, p_peer_key => 'peer-1', p_clearance => 'internal')", (ACCOUNT, name)
    ).fetchone()
    for number in range(scopes):
        conn.execute("select memhouse.grant_scope(%s, %s, %s, %s)", (ACCOUNT, name, f"scope-{number}", role))
    return str(made)
