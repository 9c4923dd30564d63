"""The command that shows what governed memory is."""

from __future__ import annotations

import click

from memhouse_thin import demo as company
from memhouse_thin.cli.app import command, connection_string, main, print_json
from memhouse_thin.server import ServerError


def _connection(dsn: str | None) -> str | None:
    """The database a command would use; None where there is none yet."""
    try:
        return connection_string(dsn)
    except ServerError:
        return None


@command(main, "demo", connects=False)
@click.option("--dsn", envvar="MEMHOUSE_DSN", metavar="DSN", help="libpq connection string or URI.")
def demo(dsn: str | None, as_json: bool) -> None:
    """Load a small company's memory and ask it questions, as different readers.

    Where no database is named, the embedded PostgreSQL is started. The database is migrated and gets an account
    `kestrel`; running the demo again stores nothing twice.

    \b
    Examples
      memhouse demo
      memhouse demo --json | jq -r '.answers[] | .reader, .candidates[0].statement'
    """

    def say(line: str) -> None:
        if not as_json:
            click.echo(click.style(f"{line} ...", dim=True), err=True)

    shown = company.run(_connection(dsn), say=say)
    if as_json:
        print_json(shown.to_json())
    else:
        click.echo(company.page(shown))
