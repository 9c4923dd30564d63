"""Commands about the database: the embedded server, migrating, and looking it over."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from memhouse_thin import doctor as examination
from memhouse_thin import server
from memhouse_thin.cli.app import EXIT_DRIFT, EXIT_UNHEALTHY, command, main, print_json
from memhouse_thin.migrate import migrate as migrate_database

home_option = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the embedded server keeps its data; default MEMHOUSE_HOME or the user's data directory.",
)


def _show_status(found: server.ServerStatus, as_json: bool) -> None:
    if as_json:
        print_json(asdict(found))
    elif found.running:
        click.echo(click.style("up", fg="green", bold=True) + f"    PostgreSQL {found.server_version}, pid {found.pid}")
        click.echo(f"data  {found.home}\nlog   {found.log}\ndsn   {found.dsn}")
    else:
        click.echo(click.style("down", bold=True) + f"  {found.home}")


@command(main, "up", connects=False)
@home_option
def up(home: Path | None, as_json: bool) -> None:
    """Start the embedded PostgreSQL, with an empty database in it.

    It listens on a Unix socket only and stays up until `memhouse down`.

    \b
    Examples
      memhouse up && memhouse migrate
      MEMHOUSE_DSN=$(memhouse up --json | jq -r .dsn)
    """
    _show_status(server.up(home), as_json)


@command(main, "down", connects=False)
@home_option
def down(home: Path | None, as_json: bool) -> None:
    """Stop the embedded PostgreSQL; its data stays.

    \b
    Example
      memhouse down
    """
    _show_status(server.down(home), as_json)


@command(main, "status", connects=False)
@home_option
def status(home: Path | None, as_json: bool) -> None:
    """Say whether the embedded PostgreSQL is up, and how to connect to it.

    \b
    Examples
      memhouse status
      psql "$(memhouse status --json | jq -r .dsn)"
    """
    _show_status(server.status(home), as_json)


@command(main, "migrate")
@click.option("--check", is_flag=True, help="Report drift and change nothing; exit code 3 when there is any.")
def migrate(check: bool, dsn: str, as_json: bool) -> None:
    """Bring the database to the schema of this version.

    Applies new migrations, then every function and policy whose text changed, under a lock. Connect as a role that
    may create roles and objects; only `create extension vector` may need a superuser.

    \b
    Examples
      memhouse migrate
      memhouse migrate --check --dsn "service=production"
    """
    report = migrate_database(dsn, check=check)
    if as_json:
        print_json({**asdict(report), "drift": report.drift})
    else:
        verb = "pending" if check else "applied"
        click.echo(f"PostgreSQL {report.server_version}, pgvector {report.vector_version or 'missing'}")
        click.echo(f"{len(report.migrations):>4} migrations {verb}")
        click.echo(f"{len(report.repeatables):>4} functions and policies {verb}")
        click.echo(f"{report.unchanged:>4} unchanged")
        for needs, files in Counter(skipped.needs for skipped in report.skipped).items():
            click.echo(f"{files:>4} left out until there is: {needs}")
        for label, names in (("missing", report.missing), ("edited", report.edited), ("unknown", report.unknown)):
            for name in names:
                click.echo(click.style(f"{label}: ", fg="yellow") + name)
        if check:
            for name in (*report.migrations, *report.repeatables):
                click.echo(click.style("pending: ", fg="yellow") + name)
            click.echo("drift" if report.drift else "no drift")
    if check and report.drift:
        raise click.exceptions.Exit(EXIT_DRIFT)


_MARKS: dict[str, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "note": ("note", "cyan"),
    "warning": ("warn", "yellow"),
    "failure": ("FAIL", "red"),
}


@command(main, "doctor")
def doctor(dsn: str, as_json: bool) -> None:
    """Look the database over: versions, tiers, roles, drift, row security, and who could walk around it.

    Changes nothing. A failure ends with exit code 10; notes and warnings do not.

    \b
    Examples
      memhouse doctor
      memhouse doctor --json | jq '.checks[] | select(.status == "failure")'
    """
    checks = examination.examine(dsn)
    healthy = all(check.status != "failure" for check in checks)
    if as_json:
        print_json({"healthy": healthy, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            mark, colour = _MARKS[check.status]
            click.echo(f"{click.style(f'{mark:<4}', fg=colour, bold=True)}  {check.name:<13} {check.summary}")
            if check.hint:
                click.echo(f"{'':<20}{click.style(check.hint, dim=True)}")
    if not healthy:
        raise click.exceptions.Exit(EXIT_UNHEALTHY)
