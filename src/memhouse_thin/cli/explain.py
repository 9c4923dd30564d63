"""``memhouse explain``: where the time of a search goes."""

from __future__ import annotations

from typing import Any

import click
import psycopg

from memhouse_thin import core, sql
from memhouse_thin.cli.app import command, main, print_json
from memhouse_thin.cli.memory import chosen_embedder, question
from memhouse_thin.client import exchange
from memhouse_thin.core import Call, Rows


@command(main, "explain")
@question
def explain(
    query: str,
    credential: str | None,
    embed: bool | None,
    deadline_ms: int | None,
    dsn: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """Ask QUERY as search does, and print what each step took.

    Rows are the statements a step looked at, among those this reader may see. The search runs once, for real, under the
    same deadline; counting the rows comes after it and is in none of the times.

    \b
    Examples
      memhouse explain "when does billing run?" --scope acme/billing --peer dana
      memhouse explain "who owns payroll" --profile thorough --json | jq '.steps[] | {step, ms}'
    """
    embedder = chosen_embedder(embed, dsn, credential)
    clock = core.Clock(deadline_ms)
    vector = None
    if embedder is not None and query.strip():
        vector = core.as_vector(embedder(embedder.identity.query_prefix + query))
    embedding_ms = clock.elapsed_ms if vector else 0.0
    plan = core.search(
        query,
        clock,
        credential=credential,
        embedding=vector,
        identity=None if embedder is None else core.identity_key(embedder.identity),
        **asked,
    )
    before, after = core.brackets(joined=False, read=True)
    calls = (*before, *plan.calls[:-1], Call(sql.EXPLAIN_SEARCH, plan.calls[-1].params), *after)
    rows: list[Rows] = []
    try:
        with psycopg.connect(dsn, autocommit=True, prepare_threshold=None, **core.connection_defaults(dsn)) as conn:
            sent_ms = clock.elapsed_ms
            exchange(conn, calls, rows)
    except Exception as error:
        raise core.failure(error) from error
    report: dict[str, Any] = rows[-1 - len(after)][0][0]
    report["embedding_ms"] = round(embedding_ms, 3)
    report["round_trip_ms"] = round(clock.elapsed_ms - sent_ms, 3)
    if as_json:
        print_json(report)
        return
    click.echo(_table(report))


def _table(report: dict[str, Any]) -> str:
    """The steps as aligned columns, then what all of them took."""
    lines = [("step", "ms", "rows", "candidates", "")]
    if report["embedding_ms"]:
        lines.append(("query embedding", f"{report['embedding_ms']:.2f}", "", "", "in the client"))
    for step in report["steps"]:
        ms, rows, candidates = step.get("ms"), step.get("rows"), step.get("candidates")
        said = [step.get("outcome"), step.get("reason_class"), step.get("scan") and f"{step['scan']} scan"]
        lines.append(
            (
                step["step"],
                "" if ms is None else f"{ms:.2f}",
                "" if rows is None else f"{rows:,}",
                "" if candidates is None else f"{candidates:,}",
                ", ".join(word.replace("_", " ") for word in said if word),
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    drawn = [
        f"{name:<{widths[0]}}  {ms:>{widths[1]}}  {rows:>{widths[2]}}  {candidates:>{widths[3]}}  {said}".rstrip()
        for name, ms, rows, candidates, said in lines
    ]
    drawn[0] = click.style(drawn[0], bold=True)
    foot = (
        f"{report['elapsed_ms']:.2f} ms in the server, {report['round_trip_ms']:.2f} with the round trip, of "
        f"{report['deadline_ms']} · profile {report['profile']} · reader {report['reader_posture'].replace('_', ' ')}"
    )
    return "\n".join([*drawn, "", click.style(foot, dim=True)])
