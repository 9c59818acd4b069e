"""Run every job, or those named: ``python -m benchmarks [JOB ...]``."""

from __future__ import annotations

import importlib
import pkgutil
import sys

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks.job import HEADER


def main() -> int:
    known = sorted(
        info.name
        for info in pkgutil.iter_modules(benchmarks.__path__)
        if info.name not in ("__main__", "job")
    )
    asked = sys.argv[1:] or known
    unknown = set(asked) - set(known)
    if unknown:
        print(f"no such job: {', '.join(unknown)}; the jobs are {', '.join(known)}", file=sys.stderr)
        return 2
    table = Table(*HEADER)
    fine = True
    for name in asked:
        print(f"running {name} …", file=sys.stderr)
        for row in importlib.import_module(f"benchmarks.{name}").run():
            table.add_row(*row.cells())
            fine &= row.equal
    Console(width=200).print(table)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
