"""Commands that explain authority: who may do what, who sees what, and why a row does or does not reach a credential."""

from __future__ import annotations

from typing import Any

import click

from memhouse_thin import sql
from memhouse_thin.cli.app import command, main, print_json, query_rows


def _table(rows: list[dict[str, Any]], headings: dict[str, str]) -> None:
    """Rows as aligned columns."""
    cells = [[str(row[name]) if row[name] is not None else "-" for name in headings] for row in rows]
    widths = [max(len(line[i]) for line in [list(headings.values()), *cells]) for i in range(len(headings))]
    heading = "  ".join(title.ljust(width) for title, width in zip(headings.values(), widths, strict=True))
    click.echo(click.style(heading.rstrip(), bold=True))
    for line in cells:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


@command(main, "policies")
@click.option("--role", help="A database role: what it may call and select, and which policies decide about rows.")
@click.option("--credential", "credential_name", help="Name of a credential: what it sees, scope by scope.")
@click.option("--account", envvar="MEMHOUSE_ACCOUNT", help="Key of the credential's account.")
@click.option("--peer", "peer_key", help="As if this peer were named as the reader.")
def policies(
    role: str | None, credential_name: str | None, account: str | None, peer_key: str | None, dsn: str, as_json: bool
) -> None:
    """Print who may do what: for a database role, or for a credential (needs memhouse_admin).

    \b
    Examples
      memhouse policies --role app_analyst
      memhouse policies --credential support --account acme
      memhouse policies --credential support --account acme --peer dana
    """
    if (role is None) == (credential_name is None):
        raise click.UsageError("Name either --role or --credential.")
    if credential_name is not None:
        if account is None:
            raise click.UsageError("--credential needs --account.")
        _credential(
            query_rows(dsn, sql.EFFECTIVE_ACCESS, account=account, credential_name=credential_name, peer_key=peer_key),
            as_json,
        )
        return
    rows = query_rows(dsn, sql.ROLE_POLICIES, role=role)
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo(f"{role} may do nothing in the schema memhouse")
    for row in rows:
        if row["kind"] == "table":
            click.echo(
                click.style(row["object"], bold=True)
                + f"  {', '.join(row['privileges'])}, through {', '.join(row['through'])}"
            )
            for name, rule in row["policies"].items():
                click.echo(f"    rows by {name}: " + " ".join(rule.split()))
            if not row["policies"]:
                click.echo("    no policy: no row")
    for row in rows:
        if row["kind"] == "function":
            click.echo(f"{row['object']}  through {', '.join(row['through'])}")


def _credential(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("no grant: the credential sees nothing")
    else:
        click.echo(
            "The highest sensitivity that is seen of statements about others, about the reader, and shared ones:"
        )
        _table(
            rows,
            {
                "scope": "scope",
                "role": "role",
                "about_others": "about others",
                "about_reader": "about reader",
                "shared": "shared",
                "through": "through",
            },
        )


@command(main, "explain-admission")
@click.argument("id", type=click.UUID)
@click.option("--credential", "credential_name", required=True, help="Name of the credential.")
@click.option("--account", envvar="MEMHOUSE_ACCOUNT", required=True, help="Key of the account.")
@click.option("--peer", "peer_key", help="As if this peer were named as the reader.")
def explain_admission(
    id: Any, credential_name: str, account: str, peer_key: str | None, dsn: str, as_json: bool
) -> None:
    """Say which condition admits a statement or observation to a credential, or hides it. Needs memhouse_admin.

    \b
    Example
      memhouse explain-admission 019b76da-9a2e-7c1f-8a55-6f1b1e1f2a3b --credential support --account acme
    """
    rows = query_rows(
        dsn, sql.EXPLAIN_ADMISSION, account=account, credential_name=credential_name, id=id, peer_key=peer_key
    )
    if as_json:
        print_json(rows)
        return
    for row in rows:
        mark = click.style("yes", fg="green") if row["holds"] else click.style("no ", fg="red")
        click.echo(f"{row['condition']:<11} {mark}  {row['detail']}")
