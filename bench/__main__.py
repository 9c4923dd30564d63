"""``python -m bench [--dsn DSN] [--locomo FILE] [--scifact FOLDER] [--peers FOLDER] [--quick] [--only NAME ...]``.

Every benchmark in turn, each printing its tables; those that need a question set run if its path is given. Without a
DSN an embedded server is started for the run in a temporary folder. Each is a command of its own with more options:
``python -m bench.quality -h`` and so on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.tables import say
from memhouse_thin import server
from memhouse_thin.migrate import migrate

#: Sizes at which a benchmark shows that it works, not how fast anything is.
QUICK = {
    "quality": "--questions 40",
    "budget": "--questions 40",
    "speed": "--questions 40",
    "admission": "--rows 5000 --rounds 10",
    "oracle": "--rows 5000 --rounds 30",
    "recall": "--rows 10000 --queries 20",
    "scale": "--sizes 1000 10000 --accounts 1 10 --questions 20",
    "ingest": "--rows 1000 --vector-rows 200",
    "load": "--clients 1 4 --seconds 2 --rows 2000",
    "deadline": "--clients 4 --runs 8",
    "sweep": "--rows 5000 --seconds 2",
}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--dsn", help="a migrated database of a superuser; its data is left in place")
    parser.add_argument(
        "--locomo", type=Path, metavar="FILE", help="locomo10.json, for quality, budget, speed and admission"
    )
    parser.add_argument("--scifact", type=Path, metavar="FOLDER", help="SciFact in BEIR form, for quality")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="measure other memory stores too, installed there")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes: minutes, not hours, and no figures to rely on"
    )
    parser.add_argument("--only", nargs="*", choices=QUICK, metavar="NAME", help=f"only these of: {', '.join(QUICK)}")
    options = parser.parse_args()
    for path in (options.locomo, options.scifact):
        if path and not path.exists():
            parser.error(f"there is no {path}")
    if options.dsn:
        return run(options, options.dsn)
    with tempfile.TemporaryDirectory(prefix="memhouse-bench-") as home:
        started = server.up(Path(home))
        assert started.dsn is not None
        try:
            migrate(started.dsn)
            return run(options, started.dsn)
        finally:
            server.down(Path(home))


def run(options: argparse.Namespace, dsn: str) -> int:
    """One benchmark after the other; 1 if one of them failed."""
    locomo = ["--locomo", str(options.locomo)] if options.locomo else None
    scifact = ["--scifact", str(options.scifact)] if options.scifact else None
    peers = ["--peers", str(options.peers)] if options.peers else []
    benchmarks: list[tuple[str, list[str] | None]] = [
        ("quality", locomo),
        ("quality", scifact),
        ("budget", locomo),
        ("speed", [*locomo, *peers] if locomo else None),
        ("admission", locomo or []),
        ("oracle", []),
        ("recall", ["--rows", "50000"]),
        ("scale", []),
        ("ingest", []),
        ("load", []),
        ("deadline", []),
        ("sweep", []),
    ]
    failed = False
    for name, arguments in benchmarks:
        if options.only and name not in options.only:
            continue
        if arguments is None:
            say(f"{name}: left out, its question set was not given")
            continue
        print(f"\n## {name}", flush=True)
        # A later option overrides an earlier one.
        small = QUICK[name].split() if options.quick else []
        command = [sys.executable, "-m", f"bench.{name}", "--dsn", dsn, *arguments, *small]
        failed |= subprocess.run(command, check=False).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
