"""Commands about the life of memory: jobs, archives, new tokens, erasure of a person."""

from __future__ import annotations

import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memhouse_thin import archive, sql
from memhouse_thin.cli.admin import account_option, credential, peer
from memhouse_thin.cli.app import EXIT_OTHER, command, main, print_json, query_rows
from memhouse_thin.errors import MemhouseError


@main.group("jobs")
def jobs() -> None:
    """Work that is done unasked: expiry, revalidation, projections.

    Nothing that a reader sees depends on a job having run: what is due is hidden from that instant. With
    pg_cron in the database, install once; without it, keep a worker running or call run from any scheduler.
    """


@command(jobs, "install")
@click.option("--schedule", default="* * * * *", show_default=True, help="When pg_cron looks for due jobs.")
@click.option("--role", help="Login to run them as, a member of memhouse_jobs; default: the connection's own.")
@click.option("--remove", is_flag=True, help="Take them out of pg_cron again.")
def jobs_install(schedule: str, role: str | None, remove: bool, dsn: str, as_json: bool) -> None:
    """Have pg_cron run the jobs. Needs memhouse_admin, and usage on the schema cron.

    \b
    Examples
      memhouse jobs install
      memhouse jobs install --role memhouse_cron --schedule "*/5 * * * *"
    """
    if remove:
        (row,) = query_rows(dsn, sql.UNINSTALL_JOBS)
        removed = row["uninstall_jobs"]
        if as_json:
            print_json({"removed": removed})
        else:
            click.echo("jobs taken out of pg_cron" if removed else "pg_cron had no jobs of this database")
        return
    (row,) = query_rows(dsn, sql.INSTALL_JOBS, schedule=schedule, role=role)
    if as_json:
        print_json({"pg_cron_job": row["install_jobs"], "schedule": schedule})
    else:
        click.echo(f"pg_cron runs the due jobs at {schedule} (its entry {row['install_jobs']})")


@command(jobs, "list")
def jobs_list(dsn: str, as_json: bool) -> None:
    """List the jobs: how often, when next, and how the last run went. Needs memhouse_jobs or memhouse_admin.

    \b
    Example
      memhouse jobs list
    """
    found = query_rows(dsn, sql.JOBS)
    if as_json:
        print_json([{name: _plain(value) for name, value in job.items()} for job in found])
        return
    for job in found:
        click.echo(
            f"{click.style(job['job_name'], bold=True)}  every {job['every']}" + ("" if job["enabled"] else ", off")
        )
        click.echo(click.style(f"    {job['description']}", dim=True))
        if job["last_finished_at"] is None:
            last = "has not run yet"
        elif job["last_error"] is not None:
            last = click.style(f"failed at {_minute(job['last_finished_at'])}: {job['last_error']}", fg="red")
        else:
            last = f"changed {job['last_rows']:,} rows at {_minute(job['last_finished_at'])}"
        click.echo(f"    {last}; next at {_minute(job['next_run_at'])}")


@command(jobs, "run")
@click.argument("name", required=False)
def jobs_run(name: str | None, dsn: str, as_json: bool) -> None:
    """Run the jobs that are due, or the one that is named, due or not. Needs memhouse_jobs.

    \b
    Examples
      memhouse jobs run
      memhouse jobs run sweep_expired
    """
    ran = _run(dsn, name)
    if as_json:
        print_json([{"job": job, "rows": rows} for job, rows in ran])
    elif not ran:
        click.echo("nothing is due")
    else:
        for job, rows in ran:
            click.echo(_ran(job, rows))
    if any(rows is None for _, rows in ran):
        raise click.exceptions.Exit(EXIT_OTHER)


@command(jobs, "worker")
@click.option("--every", type=click.FloatRange(min=0.1), default=60.0, show_default=True, help="Seconds between looks.")
def jobs_worker(every: float, dsn: str, as_json: bool) -> None:
    """Run the jobs as they become due, until interrupted. Needs memhouse_jobs.

    For databases without pg_cron. Two workers at once do no harm. A server that is away is tried again. Told to stop, by
    SIGINT or SIGTERM, it ends the job it is at first.

    \b
    Example
      memhouse jobs worker
    """
    stop = threading.Event()
    # Set here, since a process started in the background has SIGINT ignored, and a service manager sends SIGTERM.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    ready = False
    while not stop.is_set():
        try:
            # A backlog is worked off at once: a job that found something is due again.
            while ran := _run(dsn, None):
                for job, rows in ran:
                    print_json({"job": job, "rows": rows}) if as_json else click.echo(_ran(job, rows))
                if not any(rows for _, rows in ran):
                    break
            ready = True
        except MemhouseError as error:
            if not ready:
                raise
            click.echo(f"{error.message}; trying again", err=True)
        stop.wait(every)


def _run(dsn: str, name: str | None) -> list[tuple[str, int | None]]:
    rows = query_rows(dsn, sql.RUN_DUE_JOBS) if name is None else query_rows(dsn, sql.RUN_JOB, job=name)
    return [(job, changed) for job, changed in (row.values() for row in rows)]


def _ran(job: str, rows: int | None) -> str:
    return f"{job}: failed, or running elsewhere" if rows is None else f"{job}: {rows:,} rows"


def _minute(value: Any) -> str:
    return f"{value:%Y-%m-%d %H:%M %Z}"


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


@command(main, "export")
@click.argument("account")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="File to write; default: standard output."
)
def export(account: str, output: Path | None, dsn: str, as_json: bool) -> None:
    """Write an ACCOUNT as an archive: JSON Lines with a checksum. Needs memhouse_admin.

    One consistent moment of it, whatever is written meanwhile. It holds no tokens, vectors or indexes; read it back
    with import --archive, on this version of PostgreSQL or another.

    \b
    Examples
      memhouse export acme --output acme.jsonl
      memhouse export acme | gzip > acme.jsonl.gz
    """
    if output is None:
        if as_json:
            raise click.UsageError("--json tells about the file that --output names.")
        archive.export_account(dsn, account, sys.stdout.buffer)
        return
    report = archive.export_to(dsn, account, output)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo(f"{sum(report.rows.values()):,} rows of {account} in {output}")


def restore_archive(file: Path, dsn: str, as_json: bool) -> None:
    """What import --archive does."""
    if as_json or not sys.stderr.isatty():
        report = archive.restore(dsn, file)
    else:
        with click.progressbar(length=1, label="restoring", file=sys.stderr) as bar:

            def advance(done: int, total: int) -> None:
                bar.length = total
                bar.update(done - bar.pos)

            report = archive.restore(dsn, file, advance)
    if as_json:
        print_json(asdict(report))
        return
    for table, rows in report.rows.items():
        click.echo(f"{table:<18}{rows:>9,}")
    click.echo(f"account {report.account} restored")
    if report.credentials:
        click.echo(f"without a token until renewed: {', '.join(report.credentials)}")
    click.echo("its vectors are made again with: memhouse embed")


@command(credential, "renew")
@click.argument("name")
@account_option
def credential_renew(name: str, account: str, dsn: str, as_json: bool) -> None:
    """Give a credential a new token and print it; the old one ends at once. Needs memhouse_admin.

    \b
    Example
      export MEMHOUSE_CREDENTIAL=$(memhouse credential renew bot --account acme)
    """
    (row,) = query_rows(dsn, sql.RENEW_CREDENTIAL, account=account, name=name)
    token = row["renew_credential"]
    if as_json:
        print_json({"credential": name, "token": token})
        return
    click.echo(token)
    click.echo(f"credential {name} renewed; its token is shown this once", err=True)


@command(peer, "erase")
@click.argument("key")
@account_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def peer_erase(key: str, account: str, yes: bool, dsn: str, as_json: bool) -> None:
    """Erase a person: what is known about the peer, what it said, its name and its credentials. Needs memhouse_admin.

    \b
    Example
      memhouse peer erase dana --account acme
    """
    if not yes:
        click.confirm(f"Erase {key} and everything about {key} for good?", abort=True, err=True)
    (erased,) = query_rows(dsn, sql.ERASE_PEER, account=account, peer_key=key)
    if as_json:
        print_json({"peer": key, **erased})
    else:
        click.echo(
            f"{key} erased: {erased['statements']:,} statements, {erased['observations']:,} observations, "
            f"{erased['credentials']:,} credentials revoked"
        )
