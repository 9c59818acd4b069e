"""Whenever a program is killed while it writes, what is there is whole, and the next run goes on from there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import proband

OPERATIONS = Path(__file__).with_name("operations.py")
QUICK = ("npy", "results")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


def kills(folder: Path, *words: str) -> dict[str, int]:
    """Run jobs that are killed at one file operation after the other; return how often each was."""
    single = dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    source = str(Path(proband.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(OPERATIONS), str(folder), *words],
        env=os.environ | single | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: int(times) for name, times in re.findall(r"^(.+): (\d+)$", done.stdout, re.MULTILINE)}


def test_a_kill_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    times = kills(tmp_path, *QUICK)
    assert list(times) == list(QUICK)
    assert min(times.values()) >= 3
    assert sum(times.values()) > 20


@pytest.mark.long
def test_a_kill_at_every_operation_of_large_jobs(tmp_path: Path) -> None:
    times = kills(
        tmp_path,
        "--all",
        "results without exchange",
        "npz",
        "parquet",
        "splits",
        "csu",
        "results saved into",
        "bee",
        "bee, first",
        "csv",
        "bob",
        "blind",
        "evaluation",
        "study",
    )
    assert min(times.values()) >= 3
