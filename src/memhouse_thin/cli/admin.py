"""Commands of administration: accounts, scopes, peers, credentials, grants and embedding identities."""

from __future__ import annotations

from typing import Any

import click
import psycopg

from memhouse_thin import core
from memhouse_thin.cli.app import command, credential_option, local_embedder, main, print_json
from memhouse_thin.client import Client
from memhouse_thin.errors import ArgumentInvalid
from memhouse_thin.results import EmbeddingIdentity

account_option = click.option("--account", envvar="MEMHOUSE_ACCOUNT", required=True, help="Key of the account.")


def _administer(dsn: str, *calls: core.Call) -> list[Any]:
    """The value of each call, in one transaction, as the connection's own role."""
    try:
        with psycopg.connect(dsn, **core.connection_defaults(dsn)) as conn:
            rows = [conn.execute(call.sql, call.params).fetchone() for call in calls]
    except Exception as error:
        raise core.failure(error) from error
    return [None if row is None else row[0] for row in rows]


def _created(what: str, key: str, id: Any, as_json: bool) -> None:
    if as_json:
        print_json({what: key, "id": str(id)})
    else:
        click.echo(f"{what} {key} created")


@main.group("account")
def account() -> None:
    """Create accounts, the tenants of a database."""


@command(account, "create")
@click.argument("key")
def account_create(key: str, dsn: str, as_json: bool) -> None:
    """Create an account. Needs memhouse_admin.

    \b
    Example
      memhouse account create acme
    """
    _created("account", key, _administer(dsn, core.create_account(key))[0], as_json)


@main.group("scope")
def scope() -> None:
    """Create scopes, the tree that memory hangs on, and link them."""


@command(scope, "create")
@click.argument("key")
@account_option
@click.option("--parent", help="Key of the scope above; without one, KEY is a root.")
def scope_create(key: str, account: str, parent: str | None, dsn: str, as_json: bool) -> None:
    """Create a scope. Needs memhouse_admin.

    \b
    Examples
      memhouse scope create acme --account acme
      memhouse scope create acme/billing --parent acme --account acme
    """
    _created("scope", key, _administer(dsn, core.create_scope(account, key, parent))[0], as_json)


@command(scope, "link")
@click.argument("from_scope", metavar="FROM")
@click.argument("to_scope", metavar="TO")
@account_option
def scope_link(from_scope: str, to_scope: str, account: str, dsn: str, as_json: bool) -> None:
    """Say that the memory of scope TO bears on scope FROM. Needs memhouse_admin.

    The strategy relation_expand follows the link, for a reader whose read covers both ends. It grants nothing.

    \b
    Example
      memhouse scope link acme/billing acme/payroll --account acme
    """
    _administer(dsn, core.link_scopes(account, from_scope, to_scope))
    if as_json:
        print_json({"from": from_scope, "to": to_scope, "linked": True})
    else:
        click.echo(f"{from_scope} linked to {to_scope}")


@command(scope, "unlink")
@click.argument("from_scope", metavar="FROM")
@click.argument("to_scope", metavar="TO")
@account_option
def scope_unlink(from_scope: str, to_scope: str, account: str, dsn: str, as_json: bool) -> None:
    """Take back the link from scope FROM to scope TO. Needs memhouse_admin.

    \b
    Example
      memhouse scope unlink acme/billing acme/payroll --account acme
    """
    (removed,) = _administer(dsn, core.unlink_scopes(account, from_scope, to_scope))
    if as_json:
        print_json({"from": from_scope, "to": to_scope, "removed": removed})
    else:
        click.echo(f"{from_scope} {'no longer' if removed else 'was not'} linked to {to_scope}")


@main.group("peer")
def peer() -> None:
    """Create peers, the people and agents that memory is about and for."""


@command(peer, "create")
@click.argument("key")
@account_option
@click.option("--name", help="Name to show.")
def peer_create(key: str, account: str, name: str | None, dsn: str, as_json: bool) -> None:
    """Create a peer. Needs memhouse_admin.

    \b
    Example
      memhouse peer create dana --name "Dana Reyes" --account acme
    """
    _created("peer", key, _administer(dsn, core.create_peer(account, key, name))[0], as_json)


@main.group("credential")
def credential() -> None:
    """Create and revoke credentials."""


ROLES = ("reader", "member", "curator", "admin")


def _grants(account: str, name: str, grants: tuple[str, ...]) -> list[core.Call]:
    calls = []
    for grant in grants:
        scope, colon, role = grant.rpartition(":")
        # A scope key may hold colons: only a known role is split off.
        if not colon or role not in ROLES:
            scope, role = grant, "reader"
        calls.append(core.grant_scope(account, name, scope, role))
    return calls


@command(credential, "create")
@click.argument("name")
@account_option
@click.option("--kind", type=click.Choice(["machine", "session"]), default="machine", show_default=True)
@click.option("--peer", help="Key of the credential's own peer.")
@click.option("--clearance", default="internal", show_default=True, help="public, internal, personal or restricted.")
@click.option("--db-role", help="A database role that is this credential without any token.")
@click.option("--expires-at", help="When it ends, as PostgreSQL reads a timestamp.")
@click.option("--grant", "grants", multiple=True, metavar="SCOPE[:ROLE]", help="Grant a scope too; may be repeated.")
def credential_create(
    name: str,
    account: str,
    kind: str,
    peer: str | None,
    clearance: str,
    db_role: str | None,
    expires_at: str | None,
    grants: tuple[str, ...],
    dsn: str,
    as_json: bool,
) -> None:
    """Create a credential and print its token, which is shown this once. Needs memhouse_admin.

    \b
    Examples
      export MEMHOUSE_CREDENTIAL=$(memhouse credential create bot --account acme --grant acme:member)
      memhouse credential create dana --kind session --peer dana --clearance personal --account acme --grant acme
    """
    made = core.create_credential(
        account, name, kind=kind, peer_key=peer, clearance=clearance, db_role=db_role, expires_at=expires_at
    )
    token = _administer(dsn, made, *_grants(account, name, grants))[0]
    if as_json:
        print_json({"credential": name, "token": token})
        return
    click.echo(token)
    click.echo(f"credential {name} created; its token is shown this once", err=True)


@command(credential, "revoke")
@click.argument("name")
@account_option
def credential_revoke(name: str, account: str, dsn: str, as_json: bool) -> None:
    """Revoke a credential; the next read sees it. Needs memhouse_admin.

    \b
    Example
      memhouse credential revoke bot --account acme
    """
    _administer(dsn, core.revoke_credential(account, name))
    if as_json:
        print_json({"credential": name, "revoked": True})
    else:
        click.echo(f"credential {name} revoked")


@command(main, "grant")
@click.argument("name", metavar="CREDENTIAL")
@click.argument("scope")
@account_option
@click.option("--role", type=click.Choice(ROLES), default="reader", show_default=True)
@click.option("--deny", is_flag=True, help="Deny the scope instead; any deny wins.")
def grant(name: str, scope: str, account: str, role: str, deny: bool, dsn: str, as_json: bool) -> None:
    """Allow or deny a credential a scope and all below it. Needs memhouse_admin.

    \b
    Examples
      memhouse grant bot acme --role member --account acme
      memhouse grant bot acme/hr --deny --account acme
    """
    effect = "deny" if deny else "allow"
    _administer(dsn, core.grant_scope(account, name, scope, role, effect))
    if as_json:
        print_json({"credential": name, "scope": scope, "role": role, "effect": effect})
    else:
        click.echo(f"{scope} denied to {name}" if deny else f"{scope} granted to {name} as {role}")


@main.group("identity")
def identity() -> None:
    """Embedding identities, the vector spaces of a database: register, list, fill, switch, drop."""


@command(identity, "register")
@click.option("--provider")
@click.option("--model")
@click.option("--version")
@click.option("--dimensions", type=int)
@click.option("--query-prefix", default="", help="Put before queries when they are embedded.")
def identity_register(
    provider: str | None,
    model: str | None,
    version: str | None,
    dimensions: int | None,
    query_prefix: str,
    dsn: str,
    as_json: bool,
) -> None:
    """Register an embedding identity: that of the local model, or the one described. Needs memhouse_admin.

    \b
    Examples
      memhouse identity register
      memhouse identity register --provider acme --model text --version 3 --dimensions 1024
    """
    if provider and model and version and dimensions:
        described = EmbeddingIdentity(provider, model, version, dimensions, query_prefix)
    elif provider or model or version or dimensions:
        raise click.UsageError("An identity is --provider, --model, --version and --dimensions together.")
    elif (embedder := local_embedder()) is not None:
        described = embedder.identity
    else:
        raise ArgumentInvalid(
            "There is no local model to register.", hint="Fetch the models, or describe an identity with the options."
        )
    number = _administer(dsn, core.register_embedding_identity(described))[0]
    if as_json:
        print_json({"identity_id": number, "identity": described.key})
    else:
        click.echo(f"identity {described.key} registered as {number}")


@command(identity, "list")
@credential_option
def identity_list(credential: str | None, dsn: str, as_json: bool) -> None:
    """List the embedding identities that a reader can use.

    \b
    Example
      memhouse identity list
    """
    with Client(dsn, credential=credential) as client:
        found = client.embedding_identities()
    if as_json:
        print_json([{"identity": item.identity.key, "is_default": item.is_default} for item in found])
        return
    for item in found:
        click.echo(item.identity.key + ("  (default)" if item.is_default else ""))


@command(identity, "status")
@click.argument("account", required=False)
def identity_status(account: str | None, dsn: str, as_json: bool) -> None:
    """Show how far each identity has got, in ACCOUNT or in all. Needs memhouse_admin.

    missing: retrievable statements without a vector. stale: recall documents made from an older row.

    \b
    Example
      memhouse identity status acme
    """
    call = core.embedding_status(account)
    try:
        with psycopg.connect(dsn, **core.connection_defaults(dsn)) as conn:
            rows = conn.execute(call.sql, call.params).fetchall()
    except Exception as error:
        raise core.failure(error) from error
    names = ("account", "identity", "is_current", "vectors", "missing", "stale")
    if as_json:
        print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    for account_key, key, is_current, vectors, missing, stale in rows:
        mark = "*" if is_current else " "
        click.echo(f"{mark} {account_key}  {key}  {vectors:,} vectors, {missing:,} missing, {stale:,} stale")


@command(identity, "switch")
@click.argument("account")
@click.argument("key")
@click.option("--incomplete", is_flag=True, help="Even while statements lack a vector of it.")
def identity_switch(account: str, key: str, incomplete: bool, dsn: str, as_json: bool) -> None:
    """Make ACCOUNT search the vectors of identity KEY, from the next read on. Needs memhouse_admin.

    \b
    Example
      memhouse identity switch acme "onnx:bge-small-en-v1.5@int8-68807e3f#384"
    """
    _administer(dsn, core.switch_embedding_identity(account, key, incomplete))
    if as_json:
        print_json({"account": account, "identity": key})
    else:
        click.echo(f"{account} searches {key}")


@command(identity, "drop")
@click.argument("key")
def identity_drop(key: str, dsn: str, as_json: bool) -> None:
    """Forget identity KEY and every vector of it; refused while an account searches it. Needs memhouse_admin.

    \b
    Example
      memhouse identity drop "acme:text@2#1024"
    """
    vectors = _administer(dsn, core.drop_embedding_identity(key))[0]
    if as_json:
        print_json({"identity": key, "vectors": vectors})
    else:
        click.echo(f"identity {key} dropped, with {vectors:,} vectors")
