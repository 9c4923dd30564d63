"""The command group, and what every command shares: connection, JSON, errors and exit codes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec

import click
import psycopg
from psycopg.rows import dict_row

from memhouse_thin import core, errors, server
from memhouse_thin.errors import MemhouseError
from memhouse_thin.importer import ImportFailed
from memhouse_thin.migrate import MigrationError
from memhouse_thin.server import ServerError

if TYPE_CHECKING:
    from memhouse_thin.models.onnx import OnnxEmbedder
    from memhouse_thin.models.rerank import LocalRerankers

P = ParamSpec("P")

EXIT_OTHER = 1
EXIT_DRIFT = 3
EXIT_CONNECTION = 4
EXIT_AUTHORITY = 5
EXIT_NOT_FOUND = 6
EXIT_INVALID = 7
EXIT_DEADLINE = 8
EXIT_DEPENDENCY = 9
EXIT_UNHEALTHY = 10

EXIT_CODES: Mapping[type[Exception], int] = {
    errors.ConnectionFailed: EXIT_CONNECTION,
    ServerError: EXIT_CONNECTION,
    errors.PostureMissing: EXIT_AUTHORITY,
    errors.PostureSealInvalid: EXIT_AUTHORITY,
    errors.CredentialUnknown: EXIT_AUTHORITY,
    errors.CredentialRevoked: EXIT_AUTHORITY,
    errors.CredentialExpired: EXIT_AUTHORITY,
    errors.WriteNotPermitted: EXIT_AUTHORITY,
    errors.ConsentRequired: EXIT_AUTHORITY,
    errors.AuthorityChanged: EXIT_AUTHORITY,
    errors.PermissionDenied: EXIT_AUTHORITY,
    errors.PeerUnknown: EXIT_NOT_FOUND,
    errors.ScopeUnknown: EXIT_NOT_FOUND,
    errors.ProfileUnknown: EXIT_NOT_FOUND,
    errors.AccountUnknown: EXIT_NOT_FOUND,
    errors.NotFound: EXIT_NOT_FOUND,
    errors.FilterInvalid: EXIT_INVALID,
    errors.ArgumentInvalid: EXIT_INVALID,
    errors.QueryTooLong: EXIT_INVALID,
    errors.EmbeddingInvalid: EXIT_INVALID,
    errors.EmbeddingIdentityUnknown: EXIT_INVALID,
    errors.TransitionInvalid: EXIT_INVALID,
    errors.AlreadyExists: EXIT_INVALID,
    errors.SettingInvalid: EXIT_INVALID,
    errors.ProfileInvalid: EXIT_INVALID,
    errors.HierarchyInvalid: EXIT_INVALID,
    errors.DeadlineExceeded: EXIT_DEADLINE,
    errors.QueryCancelled: EXIT_DEADLINE,
    errors.DependencyMissing: EXIT_DEPENDENCY,
    errors.FeatureDisabled: EXIT_DEPENDENCY,
    errors.EmbedderFailed: EXIT_DEPENDENCY,
    errors.RerankerFailed: EXIT_DEPENDENCY,
    errors.NotInstalled: EXIT_DEPENDENCY,
    MigrationError: EXIT_DEPENDENCY,
}

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Failure(click.ClickException):
    """An expected error: its words on standard error, no traceback, and an exit code of its class."""

    def __init__(self, error: Exception, as_json: bool) -> None:
        if isinstance(error, psycopg.Error):
            error = core.failure(error)
        super().__init__(str(getattr(error, "message", error)))
        self._as_json = as_json
        self._error = {
            "error": type(error.cause if isinstance(error, ImportFailed) else error).__name__,
            "sqlstate": getattr(error, "sqlstate", None),
            "message": self.message,
            "detail": getattr(error, "detail", None),
            "hint": getattr(error, "hint", None),
        }
        if isinstance(error, ImportFailed):
            self._error |= {"line": error.line, "field": error.field, "stored": error.stored}
        self.exit_code = exit_code(error)  # type: ignore[misc] # click reads it from the instance

    def show(self, file: Any = None) -> None:
        if self._as_json:
            click.echo(json.dumps(self._error), err=True)
            return
        click.echo(click.style("error: ", fg="red", bold=True) + self.message, err=True)
        for part in ("detail", "hint"):
            if self._error[part]:
                click.echo(click.style(f"{part}: ", bold=True) + str(self._error[part]), err=True)


def exit_code(error: Exception) -> int:
    """The exit code for an error: that of the nearest class in the table."""
    if isinstance(error, ImportFailed):
        return exit_code(error.cause)
    return next((EXIT_CODES[cls] for cls in type(error).__mro__ if cls in EXIT_CODES), EXIT_OTHER)


@click.group(context_settings=CONTEXT)
@click.version_option(package_name="memhouse", prog_name="memhouse")
@click.pass_context
def main(context: click.Context) -> None:
    """Governed memory for AI agents, inside PostgreSQL.

    Commands that talk to a database take it from --dsn, MEMHOUSE_DSN, libpq's own variables (PGHOST, ...), or
    the embedded server when it is up.

    \b
    Exit codes
      0  done                        6  no such peer, scope, profile, account or id
      1  any other error             7  an argument, filter, file or vector is not valid
      2  wrong usage of a command    8  deadline exceeded, or cancelled
      3  migrate --check: drift      9  something is not installed or switched off
      4  no connection              10  doctor found a failure
      5  not authorised
    """
    if os.environ.get("NO_COLOR"):
        context.color = False


def command(group: click.Group, name: str, *, connects: bool = True) -> Callable[[Callable[..., None]], click.Command]:
    """A command with the options all share, whose expected errors are told without a traceback.

    The function is called with ``as_json`` and, if it connects, ``dsn``.
    """

    def register(function: Callable[..., None]) -> click.Command:
        def run(**options: Any) -> None:
            as_json = options["as_json"]
            try:
                if connects:
                    options["dsn"] = connection_string(options["dsn"])
                function(**options)
            except (MemhouseError, MigrationError, ServerError, psycopg.Error) as error:
                raise Failure(error, as_json) from error

        run.__doc__ = function.__doc__
        run.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
        if connects:
            run = click.option("--dsn", envvar="MEMHOUSE_DSN", metavar="DSN", help="libpq connection string or URI.")(
                run
            )
        run = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(run)
        made: click.Command = group.command(name, context_settings=CONTEXT)(run)
        return made

    return register


_LIBPQ = ("PGSERVICE", "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER")


def connection_string(dsn: str | None) -> str:
    """The connection to use: the one given, libpq's own variables, or the embedded server."""
    if dsn is not None:
        return dsn
    if any(os.environ.get(name) for name in _LIBPQ):
        return ""
    found = server.status()
    if found.dsn is None:
        raise ServerError(
            "there is no database to talk to",
            "Start the embedded server with: memhouse up\nor name one with --dsn or MEMHOUSE_DSN.",
        )
    return found.dsn


def query_rows(dsn: str, query: str, **parameters: Any) -> list[dict[str, Any]]:
    """The rows of one query, in a transaction of its own, as the connection's own role."""
    try:
        with psycopg.connect(dsn, row_factory=dict_row, **core.connection_defaults(dsn)) as conn:
            return conn.execute(query, parameters).fetchall()
    except Exception as error:
        raise core.failure(error) from error


credential_option = click.option(
    "--credential", envvar="MEMHOUSE_CREDENTIAL", metavar="TOKEN", help="Token; better in MEMHOUSE_CREDENTIAL."
)


def local_embedder() -> OnnxEmbedder | None:
    """The embedder of the fetched models, if they and the packages that run them are there."""
    try:
        from memhouse_thin.models.onnx import OnnxEmbedder
    except ImportError:
        return None
    return OnnxEmbedder.default()


def local_rerankers() -> LocalRerankers:
    """The rerankers of the fetched models, loaded."""
    try:
        from memhouse_thin.models.rerank import LocalRerankers

        return LocalRerankers().load()
    except (ImportError, ValueError) as error:
        raise errors.RerankerFailed(
            "There are no local rerankers.", detail=str(error), hint="Fetch the models: make models."
        ) from error


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
