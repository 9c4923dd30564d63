"""Commands about promotion: raising what is known about a person above that person, with consent."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from memhouse_thin.cli.app import command, credential_option, main, print_json
from memhouse_thin.client import Client
from memhouse_thin.results import to_json


@main.group("promotion")
def promotion() -> None:
    """Raise statements to the level of a scope or account, with the consent of whom they are about."""


@command(promotion, "propose")
@click.argument("id", type=click.UUID)
@click.argument("level", type=click.Choice(["scope", "account"]))
@credential_option
def promotion_propose(id: Any, level: str, credential: str | None, dsn: str, as_json: bool) -> None:
    """Propose to raise statement ID to LEVEL.

    About a peer, it waits for the consent of that peer; about the scope, it is raised at once.

    \b
    Example
      memhouse promotion propose 019b76da-9a2e-7c1f-8a55-6f1b1e1f2a3b scope
    """
    with Client(dsn, credential=credential) as client:
        state = client.propose_promotion(id, level)
    if as_json:
        print_json({"id": str(id), "level": level, "state": state})
    else:
        click.echo(
            f"promoted to {level} level" if state == "promoted" else f"proposed for {level} level: consent is due"
        )


@command(promotion, "list")
@credential_option
def promotion_list(credential: str | None, dsn: str, as_json: bool) -> None:
    """List the promotions of statements about the credential's own peer, and those it proposed itself; newest first.

    \b
    Example
      memhouse promotion list --json | jq -r '.[] | select(.state == "proposed").id'
    """
    with Client(dsn, credential=credential) as client:
        found = client.promotions()
    if as_json:
        print_json([to_json(asdict(item)) for item in found])
        return
    if not found:
        click.echo("no promotions")
    for item in found:
        click.echo(f"{item.id}  {click.style(item.state, bold=True)} for {item.target_level} level")
        reason = f" ({item.reason})" if item.reason else ""
        click.echo(f"    about {item.subject_peer}: {item.statement}{reason}")


@command(promotion, "consent")
@click.argument("id", type=click.UUID)
@credential_option
def promotion_consent(id: Any, credential: str | None, dsn: str, as_json: bool) -> None:
    """Consent to the promotion that waits for statement ID, which is about the credential's own peer.

    \b
    Example
      memhouse promotion consent 019b76da-9a2e-7c1f-8a55-6f1b1e1f2a3b
    """
    with Client(dsn, credential=credential) as client:
        level = client.consent(id)
    if as_json:
        print_json({"id": str(id), "level": level})
    else:
        click.echo(f"promoted to {level} level")


@command(promotion, "decline")
@click.argument("id", type=click.UUID)
@credential_option
@click.option("--reason", help="Why; kept with the promotion, and erased with the statement.")
def promotion_decline(id: Any, credential: str | None, reason: str | None, dsn: str, as_json: bool) -> None:
    """Decline the promotion that waits for statement ID; when none waits, take back the consent given before.

    \b
    Example
      memhouse promotion decline 019b76da-9a2e-7c1f-8a55-6f1b1e1f2a3b --reason "not at work"
    """
    with Client(dsn, credential=credential) as client:
        state = client.decline(id, reason=reason)
    if as_json:
        print_json({"id": str(id), "state": state})
    else:
        click.echo("declined" if state == "declined" else "consent withdrawn: back at peer level")
