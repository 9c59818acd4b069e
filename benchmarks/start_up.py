"""How long a user waits for the first word."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.job import Row, best_of


def run() -> list[Row]:
    rows = []
    for job, goal, command in (
        ("proband --help", 0.5, [sys.executable, "-m", "proband", "--help"]),
        ("import proband", 0.3, [sys.executable, "-c", "import proband"]),
    ):
        bare, _ = best_of(5, lambda: subprocess.run([sys.executable, "-c", ""], check=True))
        seconds, done = best_of(
            5, lambda command=command: subprocess.run(command, capture_output=True, check=True)
        )
        rows.append(
            Row(job, seconds, None, bare, "bare Python", f"< {goal} s", seconds < goal, done.returncode == 0)
        )
    return rows
