"""What a linter cannot say about the schema, asked of the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from memhouse_thin.migrate import database_folder

FUNCTIONS = database_folder() / "functions"


def names(connection: psycopg.Connection, query: str) -> list[str]:
    connection.execute("set local search_path = pg_catalog")
    return [row[0] for row in connection.execute(query).fetchall()]


def test_definers_are_pinned(db: psycopg.Connection) -> None:
    assert not names(
        db,
        """select oid::regprocedure::text from pg_proc
           where pronamespace = 'memhouse'::regnamespace and prosecdef
             and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)""",
    )


def test_definers_say_why(db: psycopg.Connection) -> None:
    definers = names(
        db, "select distinct proname::text from pg_proc where pronamespace = 'memhouse'::regnamespace and prosecdef"
    )
    sources = [path.read_text() for path in FUNCTIONS.rglob("*.sql")]
    silent = [
        name
        for name in definers
        if not any(re.search(_creates(name), text) and re.search("definer because", text, re.I) for text in sources)
    ]
    assert silent == []


def test_no_function_is_public(db: psycopg.Connection) -> None:
    assert not names(
        db,
        """select p.oid::regprocedure::text
           from pg_proc as p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
           where p.pronamespace = 'memhouse'::regnamespace and a.grantee = 0""",
    )


def test_nothing_is_leakproof(db: psycopg.Connection) -> None:
    assert not names(
        db,
        "select oid::regprocedure::text from pg_proc where pronamespace = 'memhouse'::regnamespace and proleakproof",
    )


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(
            """select oid::regprocedure::text from pg_proc
               where pronamespace = 'memhouse'::regnamespace and obj_description(oid, 'pg_proc') is null""",
            id="functions",
        ),
        pytest.param(
            """select oid::regclass::text from pg_class
               where relnamespace = 'memhouse'::regnamespace and relkind in ('r', 'p', 'v', 'm')
                 and obj_description(oid, 'pg_class') is null""",
            id="relations",
        ),
        pytest.param(
            """select t.oid::regtype::text from pg_type as t left join pg_class as c on c.oid = t.typrelid
               where t.typnamespace = 'memhouse'::regnamespace and (t.typtype in ('e', 'd') or c.relkind = 'c')
                 and obj_description(t.oid, 'pg_type') is null""",
            id="types",
        ),
        pytest.param(
            """select rolname::text from pg_roles
               where rolname like 'memhouse\\_%' and shobj_description(oid, 'pg_authid') is null""",
            id="roles",
        ),
        pytest.param(
            "select nspname::text from pg_namespace where nspname like 'memhouse%' and obj_description(oid) is null",
            id="schemas",
        ),
    ],
)
def test_everything_is_commented(db: psycopg.Connection, query: str) -> None:
    assert names(db, query) == []


def test_row_security_is_enabled_and_forced(db: psycopg.Connection) -> None:
    assert not names(
        db,
        """select oid::regclass::text from pg_class
           where relnamespace = 'memhouse'::regnamespace and relkind in ('r', 'p')
             and not (relrowsecurity and relforcerowsecurity)""",
    )


def test_owners_and_roles_have_no_special_powers(db: psycopg.Connection) -> None:
    owners = names(
        db,
        """select distinct pg_get_userbyid(owner)::text
           from (select relowner from pg_class where relnamespace = 'memhouse'::regnamespace
                 union all select proowner from pg_proc where pronamespace = 'memhouse'::regnamespace
                 union all select typowner from pg_type where typnamespace = 'memhouse'::regnamespace) as o (owner)""",
    )
    assert set(owners) <= {"memhouse_owner", "memhouse_gate", "memhouse_strategy", "memhouse_api"}
    assert not names(
        db,
        """select rolname::text from pg_roles
           where rolname like 'memhouse\\_%'
             and (rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolcreatedb)""",
    )


def test_public_functions_have_files_of_their_own(db: psycopg.Connection) -> None:
    public = names(
        db,
        """select distinct proname::text from pg_proc
           where pronamespace = 'memhouse'::regnamespace and proname not like '\\_%'""",
    )
    for name in public:
        created = [path for path in FUNCTIONS.rglob("*.sql") if re.search(_creates(name), path.read_text())]
        assert [path.stem for path in created] == [name]


def test_files_are_named_after_what_they_make_unless_that_is_triggers(db: psycopg.Connection) -> None:
    made = set(
        names(
            db,
            """select proname::text from pg_proc where pronamespace = 'memhouse'::regnamespace
               union select relname from pg_class where relnamespace = 'memhouse'::regnamespace""",
        )
    )
    # Models in the database are there only where PL/Python is.
    unapplied = set() if names(db, "select 1 from pg_extension where extname = 'plpython3u'") else {"90_models"}
    astray = [
        _relative(path)
        for path in sorted(FUNCTIONS.rglob("*.sql"))
        if path.parent.name not in unapplied
        and path.stem not in made
        and not re.search(r"create\s+(or\s+replace\s+)?(constraint\s+)?trigger", path.read_text())
    ]
    assert astray == []


def test_private_helpers_are_shared_or_beside_their_user(db: psycopg.Connection) -> None:
    """A helper `_x` has a file of its own unless the file that makes it is also the only one that calls it.

    What a stored column is computed by is made by the migration that makes the column, and changes with it.
    """
    sources = {path: path.read_text() for path in FUNCTIONS.rglob("*.sql")}
    private = names(
        db,
        """select distinct proname::text from pg_proc
           where pronamespace = 'memhouse'::regnamespace and proname like '\\_%'""",
    )
    migrations = "".join(path.read_text() for path in FUNCTIONS.parent.glob("migrations/*.sql"))
    for name in private:
        if f"create function memhouse.{name}(" in migrations:
            continue
        (home,) = [path for path, text in sources.items() if re.search(_creates(name), text)]
        if home.stem != name:
            users = [_relative(path) for path, text in sources.items() if f"memhouse.{name}(" in text and path != home]
            assert users == [], name


def test_keys_start_with_the_account(db: psycopg.Connection) -> None:
    """So that a database can be distributed by account. What spans accounts by its nature is named here."""
    spanning = {
        "memhouse.account",
        "memhouse.account_account_key_key",  # what an account is found by
        "memhouse.credential_db_role",  # a database role stands for one credential of the whole database
    }
    wrong = names(
        db,
        """select c.conrelid::regclass || ' ' || pg_get_constraintdef(c.oid)
           from pg_constraint as c
           join pg_attribute as a on a.attrelid = c.conrelid and a.attname = 'account_id'
           where c.connamespace = 'memhouse'::regnamespace and c.contype in ('p', 'u', 'f')
             and c.conkey[1] <> a.attnum
             and (c.contype <> 'f' or exists (
                 select from pg_attribute as r where r.attrelid = c.confrelid and r.attname = 'account_id'))
           union all
           select i.indexrelid::regclass || ' ' || pg_get_indexdef(i.indexrelid)
           from pg_index as i join pg_class as c on c.oid = i.indexrelid
           join pg_attribute as a on a.attrelid = i.indrelid and a.attname = 'account_id'
           where c.relnamespace = 'memhouse'::regnamespace and i.indisunique and i.indkey[0] <> a.attnum""",
    )
    assert [key for key in wrong if key.split()[0] not in spanning] == []


def _creates(name: str) -> str:
    return rf"create\s+(or\s+replace\s+)?(function|procedure|aggregate)\s+memhouse\.{re.escape(name)}\s*\("


def _relative(path: Path) -> str:
    return path.relative_to(FUNCTIONS).as_posix()
