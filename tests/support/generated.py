"""Texts that are generated from the catalogue of a migrated database."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from memhouse_thin.migrate import database_folder

_FUNCTION = re.compile(r"function memhouse\.(\w+)\(")
_STEPS = {
    "00_base": "Foundations",
    "10_reader": "Posture: who asks",
    "20_admission": "Admission: who sees what",
    "30_query": "Reading the question",
    "40_strategy": "Strategies",
    "50_fusion": "Fusion",
    "60_api": "Reading and writing",
    "65_admin": "Administration",
    "70_lifecycle": "Lifecycle",
    "80_jobs": "Jobs",
    "90_models": "Models in the database",
}


def privileges(connection: psycopg.Connection) -> str:
    """Who may do what with which object: one line for each object and grantee.

    What an owner may do with its own object is left out; PUBLIC stands for everyone.
    """
    connection.execute("set local search_path = pg_catalog, public")
    rows = connection.execute(
        """
        with acl (kind, object, owner, acl) as (
            select 'schema', n.nspname::text, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner))
            from pg_namespace as n where n.nspname = 'memhouse'
            union all
            select case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
                   c.oid::regclass::text, c.relowner,
                   coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
            from pg_class as c
            where c.relnamespace = 'memhouse'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
            union all
            select 'column', c.oid::regclass || '.' || a.attname, c.relowner, a.attacl
            from pg_attribute as a join pg_class as c on c.oid = a.attrelid
            where c.relnamespace = 'memhouse'::regnamespace and a.attacl is not null
            union all
            select 'function', p.oid::regprocedure::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
            from pg_proc as p where p.pronamespace = 'memhouse'::regnamespace
            union all
            select 'type', t.oid::regtype::text, t.typowner, t.typacl
            from pg_type as t where t.typnamespace = 'memhouse'::regnamespace and t.typacl is not null
        )
        select a.kind, a.object, pg_get_userbyid(a.owner) as owner,
               case g.grantee when 0 then 'PUBLIC' else pg_get_userbyid(g.grantee) end as grantee,
               string_agg(distinct lower(g.privilege_type) || case when g.is_grantable then '*' else '' end, ', ')
        from acl as a
        left join lateral aclexplode(a.acl) as g on g.grantee <> a.owner
        group by 1, 2, 3, 4
        """
    ).fetchall()
    lines = [
        f"{kind} {name} ({owner}) | {grantee or 'nobody else'}: {may or '-'}"
        for kind, name, owner, grantee, may in rows
    ]
    members = connection.execute(
        """
        select distinct m.rolname, g.rolname
        from pg_auth_members as a
        join pg_roles as g on g.oid = a.roleid
        join pg_roles as m on m.oid = a.member
        where g.rolname like 'memhouse\\_%' and m.rolname like 'memhouse\\_%'
        """
    ).fetchall()
    lines += [f"role {member} | is a member of {group}" for member, group in members]
    defaults = connection.execute("select d::text from pg_default_acl as d").fetchall()
    lines += [f"default privileges {row}" for (row,) in defaults]
    return "\n".join(sorted(lines)) + "\n"


def reference(connection: psycopg.Connection) -> str:
    """The SQL reference, as Markdown."""
    connection.execute("set local search_path = pg_catalog, public")
    parts = [
        "# SQL reference",
        "<!-- Written by `make docs` from the comments in the database. Edit those. -->",
        "Everything in schema `memhouse` that applications and DBAs may rely on. "
        "Names that begin with `_` are internal and not listed.",
        *_functions(connection),
        *_relations(connection, "Views", "('v', 'm')"),
        *_relations(connection, "Tables", "('r', 'p')"),
        *_types(connection),
        *_roles(connection),
        *_errors(connection),
    ]
    return "\n\n".join(parts) + "\n"


def _rows(connection: psycopg.Connection, query: str) -> list[dict[str, Any]]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query).fetchall()


def _functions(connection: psycopg.Connection) -> list[str]:
    functions = _rows(
        connection,
        """
        select p.proname as name,
               'memhouse.' || p.proname || '(' || pg_get_function_arguments(p.oid) || ')' as call,
               pg_get_function_result(p.oid) as result,
               case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
               case p.proparallel when 's' then 'parallel safe' when 'r' then 'parallel restricted'
                                  else 'parallel unsafe' end as parallel,
               case when p.prosecdef then 'runs as ' || pg_get_userbyid(p.proowner)
                                     else 'runs as its caller' end as runs,
               obj_description(p.oid, 'pg_proc') as comment,
               (select string_agg(distinct '`' || pg_get_userbyid(a.grantee) || '`', ', ')
                from aclexplode(p.proacl) as a
                where a.grantee <> p.proowner
                  and pg_get_userbyid(a.grantee) in
                      ('memhouse_reader', 'memhouse_writer', 'memhouse_analyst', 'memhouse_internal', 'memhouse_admin')) as callers
        from pg_proc as p
        where p.pronamespace = 'memhouse'::regnamespace and p.proname not like '\\_%'
        order by p.proname collate "C", p.oid::regprocedure::text collate "C"
        """,
    )
    steps = _steps()
    parts = ["## Functions"]
    for folder in sorted(set(steps.values())):
        parts.append(f"### {_STEPS.get(folder, folder)}")
        for row in functions:
            if steps.get(row["name"]) != folder:
                continue
            call = row["call"].replace(" DEFAULT ", " default ")
            result = row["result"].replace("SETOF ", "setof ").replace("TABLE(", "table(")
            callers = f"for {row['callers']}" if row["callers"] else "for memhouse's own functions"
            parts += [
                f"#### {row['name']}",
                f"```sql\n{_wrapped(call)}\nreturns {_wrapped(result)}\n```",
                row["comment"] or "",
                f"*{row['volatility']}, {row['parallel']}, {row['runs']}; {callers}*",
            ]
    return parts


def _steps() -> dict[str, str]:
    """The folder of each function's file, by the function's name."""
    functions = database_folder() / "functions"
    return {path.stem: path.relative_to(functions).parts[0] for path in functions.rglob("*.sql")}


def _wrapped(call: str) -> str:
    """A signature, or a table's columns, on lines of their own when it is long."""
    if len(call) <= 100 or "(" not in call:
        return call
    name, arguments = call[:-1].split("(", 1)
    return f"{name}(\n    " + ",\n    ".join(arguments.split(", ")) + "\n)"


def _relations(connection: psycopg.Connection, title: str, kinds: str) -> list[str]:
    relations = _rows(
        connection,
        f"""
        select c.oid, c.relname as name, obj_description(c.oid, 'pg_class') as comment
        from pg_class as c
        where c.relnamespace = 'memhouse'::regnamespace and c.relkind in {kinds} and c.relname not like '\\_%'
        order by c.relname collate "C"
        """,
    )
    parts = [f"## {title}"]
    for relation in relations:
        parts += [f"### {relation['name']}", relation["comment"] or "", _columns(connection, relation["oid"])]
    return parts


def _columns(connection: psycopg.Connection, relation: int) -> str:
    columns = connection.execute(
        """
        select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(a.attrelid, a.attnum)
        from pg_attribute as a where a.attrelid = %s and a.attnum > 0 and not a.attisdropped order by a.attnum
        """,
        (relation,),
    ).fetchall()
    rows = [
        f"| `{name}` | `{kind}`{' not null' if required else ''} | {_cell(comment)} |"
        for name, kind, required, comment in columns
    ]
    return "\n".join(["| column | type | |", "|---|---|---|", *rows])


def _types(connection: psycopg.Connection) -> list[str]:
    types = _rows(
        connection,
        """
        select t.typname as name, t.typrelid as relation, obj_description(t.oid, 'pg_type') as comment,
               (select string_agg('`' || e.enumlabel || '`', ', ' order by e.enumsortorder)
                from pg_enum as e where e.enumtypid = t.oid) as labels
        from pg_type as t left join pg_class as c on c.oid = t.typrelid
        where t.typnamespace = 'memhouse'::regnamespace and (t.typtype in ('e', 'd') or c.relkind = 'c')
          and t.typname not like '\\_%'
        order by t.typname collate "C"
        """,
    )
    parts = ["## Types"]
    for row in types:
        parts += [f"### {row['name']}", row["comment"] or ""]
        if row["labels"]:
            parts.append(f"One of {row['labels']}.")
        elif row["relation"]:
            parts.append(_columns(connection, row["relation"]))
    return parts


def _roles(connection: psycopg.Connection) -> list[str]:
    roles = connection.execute(
        """
        select r.rolname, shobj_description(r.oid, 'pg_authid') from pg_roles as r
        where r.rolname like 'memhouse\\_%' order by r.rolname collate "C"
        """
    ).fetchall()
    rows = [f"| `{name}` | {_cell(comment)} |" for name, comment in roles]
    return [
        "## Roles",
        "None can log in; a DBA grants them to roles that do.",
        "\n".join(["| role | |", "|---|---|", *rows]),
    ]


def _errors(connection: psycopg.Connection) -> list[str]:
    errors = connection.execute(
        "select code, name, message, hint from memhouse.error_catalog() order by code"
    ).fetchall()
    rows = [f"| `{code}` | {name} | {_cell(message)} | {_cell(hint)} |" for code, name, message, hint in errors]
    return [
        "## Errors",
        "Each error has its own SQLSTATE; its DETAIL says what was wrong with this call. "
        "The name is also that of the Python exception.",
        "\n".join(["| SQLSTATE | name | message | hint |", "|---|---|---|---|", *rows]),
    ]


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|").replace("\n", " ")


def compare(path: Path, text: str, regenerate: bool, command: str) -> None:
    """Fails when the file is not the text; writes it instead when asked to.

    A server without PL/Python has no functions of 90_models: there the rest is compared, and nothing is written.
    """
    whole = "memhouse.allow_model" in text
    if regenerate and whole:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if regenerate:
        return
    stored = path.read_text(encoding="utf-8") if path.exists() else ""
    assert (stored if whole else _without_models(stored)) == text, (
        f"{path} is not what the database says; `{command}` writes it anew"
    )


def _without_models(text: str) -> str:
    """A generated text without what needs PL/Python."""
    text = re.sub(r"^(### Models in the database\n\n).*?(?=^###? )", r"\1", text, flags=re.DOTALL | re.MULTILINE)
    models = {name for name, folder in _steps().items() if folder == "90_models"}
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not ((found := _FUNCTION.match(line)) and found[1] in models))
