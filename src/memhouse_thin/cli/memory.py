"""Commands about memory: search, remember, import."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memhouse_thin.cli.app import command, credential_option, local_embedder, local_rerankers, main, print_json
from memhouse_thin.cli.lifecycle import restore_archive
from memhouse_thin.cli.render import render_search
from memhouse_thin.client import Client
from memhouse_thin.core import Embedder
from memhouse_thin.errors import EmbedderFailed
from memhouse_thin.importer import FORMATS, ImportFailed, Progress, import_file

embed_option = click.option(
    "--embed/--no-embed",
    default=None,
    help="Use the local model, or not. Default: if it is there and its identity is registered.",
)


def chosen_embedder(embed: bool | None, dsn: str, credential: str | None) -> Embedder | None:
    """The local embedder, if wanted; by default only where the server knows its identity."""
    if embed is False:
        return None
    found = local_embedder()
    if embed:
        if found is None:
            raise EmbedderFailed("There is no local model.", hint="Fetch the models, or leave --embed out.")
        return found
    if found is None:
        return None
    with Client(dsn, credential=credential) as client:
        known = {item.identity.key for item in client.embedding_identities()}
    return found if found.identity.key in known else None


def _filters(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    """KEY=VALUE pairs; a value that reads as JSON is JSON, any other is text."""
    filters: dict[str, Any] = {}
    for pair in given:
        key, equals, text = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE.")
        try:
            filters[key] = json.loads(text)
        except ValueError:
            filters[key] = text
    return filters


def question(function: Callable[..., None]) -> Callable[..., None]:
    """The argument and options of a question, named as in ``Client.search``."""
    for part in reversed(
        (
            click.argument("query"),
            credential_option,
            click.option("--peer", "peer_key", help="Key of the peer to read for."),
            click.option("--scope", help="Read this scope and those above it; default: all that are granted."),
            click.option("--profile", help="fast, balanced or thorough; default: the scope's own."),
            click.option("--limit", type=int, default=12, show_default=True, help="How many statements, 1 to 100."),
            click.option("--as-of", help="What held at this time."),
            click.option("--known-at", help="What was known at this time."),
            click.option(
                "--filter", "filters", multiple=True, callback=_filters, metavar="KEY=VALUE", help="May be repeated."
            ),
            click.option("--deadline-ms", type=int, help="Milliseconds from the call; default: the profile's own."),
            embed_option,
        )
    ):
        function = part(function)
    return function


@command(main, "search")
@question
@click.option(
    "--rerank", is_flag=True, help="Let local models rerank, where the profile wants it and the server has none."
)
def search(
    query: str, credential: str | None, embed: bool | None, rerank: bool, dsn: str, as_json: bool, **asked: Any
) -> None:
    """Ask what this reader's memory says about QUERY.

    Plain words match any of them; "quoted phrases", -word and or are understood. Filters: kind, subject_peer, source,
    min_confidence, recorded_after, recorded_before. --json prints the server's report: candidates, strategies,
    reader_posture, profile_version and timings.

    \b
    Examples
      memhouse search "when does billing run?" --scope acme/billing --peer dana
      memhouse search '"billing run" -test' --filter kind=policy --limit 5
      memhouse search "who owns payroll" --json | jq -r '.candidates[].statement'
    """
    embedder = chosen_embedder(embed, dsn, credential)
    reranker = local_rerankers() if rerank else None
    with Client(dsn, credential=credential, embedder=embedder, reranker=reranker) as client:
        result = client.search(query, **asked)
    if as_json:
        print_json(result.to_json())
    else:
        click.echo(render_search(result))


@command(main, "remember")
@click.argument("text")
@credential_option
@click.option("--scope", required=True, help="Where it belongs.")
@click.option("--subject", help="Key of the peer it is about; without one it is about the scope.")
@click.option("--kind", default="fact", show_default=True)
@click.option("--sensitivity", default="internal", show_default=True, help="public, internal, personal or restricted.")
@click.option("--confidence", type=float, default=1.0, show_default=True)
@click.option("--source", "sources", multiple=True, metavar="ID", help="Observation it rests on; may be repeated.")
@click.option("--source-key", help="Your own key; remembering it again changes nothing.")
@click.option("--expires-at", help="Hidden from then on.")
@embed_option
def remember(
    text: str,
    credential: str | None,
    scope: str,
    subject: str | None,
    kind: str,
    sensitivity: str,
    confidence: float,
    sources: tuple[str, ...],
    source_key: str | None,
    expires_at: str | None,
    embed: bool | None,
    dsn: str,
    as_json: bool,
) -> None:
    """Store the statement TEXT and print its id.

    \b
    Examples
      memhouse remember "The billing job runs at 02:00 UTC." --scope acme/billing
      memhouse remember "Prefers mail to calls." --scope acme --subject dana --kind preference --sensitivity personal
    """
    embedder = chosen_embedder(embed, dsn, credential)
    with Client(dsn, credential=credential, embedder=embedder) as client:
        id = client.remember(
            text,
            scope=scope,
            subject_peer=subject,
            kind=kind,
            sensitivity=sensitivity,
            confidence=confidence,
            sources=sources,
            source_key=source_key,
            expires_at=expires_at,
        )
    if as_json:
        print_json({"id": str(id)})
    else:
        click.echo(str(id))


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar on standard error when that is a terminal, else nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label="importing", file=sys.stderr) as bar:

        def advance(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield advance


@command(main, "import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@credential_option
@click.option("--format", type=click.Choice(list(FORMATS)), default="jsonl", show_default=True)
@click.option(
    "--commit-every", type=click.IntRange(min=1), metavar="N", help="Store N lines at a time, not all or none."
)
@click.option(
    "--resume", is_flag=True, help="Go on with an import that stopped; implies --commit-every 500 unless given."
)
@click.option("--archive", is_flag=True, help="FILE is an archive that memhouse export wrote.")
@embed_option
def import_(
    file: Path,
    credential: str | None,
    format: str,
    commit_every: int | None,
    resume: bool,
    archive: bool,
    embed: bool | None,
    dsn: str,
    as_json: bool,
) -> None:
    """Store a FILE of observations and knowledge: JSON Lines, or a LoCoMo file of conversations.

    All of it in one transaction or, with --commit-every, so many lines at a time. Lines that are stored already are
    known by their source_key and left alone: importing twice stores nothing twice. Lines of type scope and peer need
    memhouse_admin, the others a credential with role member.

    With --archive, makes the account of an archive again, with its ids and times, in a database that does not have it;
    all of it or nothing. Needs memhouse_admin.

    \b
    Examples
      memhouse import memory.jsonl
      memhouse import memory.jsonl --commit-every 1000
      memhouse import --format locomo locomo10.json
      memhouse import --archive acme.jsonl
    """
    if archive:
        restore_archive(file, dsn, as_json)
        return
    embedder = chosen_embedder(embed, dsn, credential)
    if resume and commit_every is None:
        commit_every = 500
    try:
        with _progress(as_json) as progress:
            report = import_file(
                dsn,
                file,
                format=format,
                credential=credential,
                embedder=embedder,
                commit_every=commit_every,
                progress=progress,
            )
    except ImportFailed as error:
        if error.stored:
            stored = f"What stands before is stored, up to {error.stored_to}; correct it and go on with --resume."
        else:
            stored = "Nothing of the file was stored."
        error.hint = f"{error.hint}\n{stored}" if error.hint else stored
        raise
    if as_json:
        print_json(asdict(report))
        return
    for name in ("scopes", "peers", "observations", "knowledge"):
        count = getattr(report, name)
        if count.new or count.existing:
            there = f", {count.existing:,} already there" if count.existing else ""
            click.echo(f"{name:<13}{count.new:>7,} stored{there}")
    if report.relations:
        click.echo(f"{'relations':<13}{report.relations:>7,} stored")
    if report.vectors:
        click.echo(f"{'vectors':<13}{report.vectors:>7,} stored")
    click.echo(f"{report.lines:,} lines in {report.seconds:.1f} s")


@command(main, "embed")
@credential_option
@click.option("--account", help="Every statement of this account; for members of memhouse_internal.")
@click.option("--tokens", is_flag=True, help="Token vectors for late interaction too.")
def embed(credential: str | None, account: str | None, tokens: bool, dsn: str, as_json: bool) -> None:
    """Give every statement that has none a vector of the local model.

    Reaches what the credential can read and write, or with --account everything of an account. The model's identity must be registered; it need not be the one in
    use, so the next one is made beside it (see identity switch). What fails is left without and counted. Stopped, it
    goes on where it was when called again.

    \b
    Examples
      memhouse identity register && memhouse embed
      memhouse embed --account acme --tokens
    """
    embedder = local_embedder()
    if embedder is None:
        raise EmbedderFailed("There is no local model.", hint="Fetch the models: make models.")
    done: dict[str, tuple[int, int]] = {"vectors": (0, 0), "token_vectors": (0, 0)}

    def advance(what: str) -> Callable[[int, int], None]:
        def told(stored: int, failed: int) -> None:
            done[what] = stored, failed
            if sys.stderr.isatty() and not as_json:
                click.echo(f"\r{stored:,} {what.replace('_', ' ')}", err=True, nl=False)

        return told

    with Client(dsn, credential=credential, embedder=embedder) as client:
        client.embed_missing(account=account, progress=advance("vectors"))
        if tokens:
            client.pack_missing(local_rerankers().late, account=account, progress=advance("token_vectors"))
    if as_json:
        print_json({what: {"stored": stored, "failed": failed} for what, (stored, failed) in done.items()})
        return
    if sys.stderr.isatty():
        click.echo("\r", err=True, nl=False)
    for what, (stored, failed) in done.items():
        if what == "vectors" or tokens:
            lost = f", {failed:,} failed and left without" if failed else ""
            click.echo(f"{stored:,} {what.replace('_', ' ')} stored{lost}")
