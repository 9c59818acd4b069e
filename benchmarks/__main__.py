"""Run all jobs, or those named: ``python -m benchmarks [JOB ...]``. ``--write`` also writes docs/understand/performance.md."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks.job import HEADER, run_alone
from benchmarks.machine import beginning, machine
from benchmarks.page import CHART, PAGE, as_page, chart
from proband.report.figures.style import save_figure

NO_JOBS = ("__main__", "copies", "job", "machine", "page")


def main() -> int:
    known = sorted(
        info.name
        for info in pkgutil.iter_modules(benchmarks.__path__)
        if not info.ispkg and info.name not in NO_JOBS
    )
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(known))
    parser.add_argument("--write", action="store_true", help="write docs/understand/performance.md")
    given = parser.parse_args()
    unknown = set(given.jobs) - set(known)
    if unknown:
        parser.error(f"no such job: {', '.join(sorted(unknown))}; the jobs are {', '.join(known)}")
    begun = beginning()
    measured = {}
    details = {}
    for name in given.jobs or known:
        print(f"running {name} …", file=sys.stderr)
        module = importlib.import_module(f"benchmarks.{name}")
        measured[module], told = run_alone(name)
        if told:
            details[module] = told
    rows = [row for several in measured.values() for row in several]
    table = Table(*HEADER)
    for row in rows:
        table.add_row(*row.cells())
    Console(width=200).print(table)
    print(*details.values(), sep="\n")
    if given.write:
        left_out = [name for name in known if given.jobs and name not in given.jobs]
        PAGE.write_text(as_page(measured, left_out, begun | machine(), details), encoding="utf-8")
        save_figure(chart(rows), PAGE.parent / CHART)
        print(f"wrote {PAGE}", file=sys.stderr)
    return 1 if any(row.equal is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
