"""Whenever a program is killed while it writes, or others write the same, what is there is whole, and the next run goes on from there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import proband

QUICK = ("npy", "results")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


def told(program: str, *words: object) -> list[tuple[str, str]]:
    """What a program of this folder says of its jobs."""
    single = dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    sources = [str(Path(__file__).parents[2]), str(Path(proband.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"tests.hostile.{program}", *map(str, words)],
        env=os.environ | single | {"PYTHONPATH": os.pathsep.join(sources)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return re.findall(r"^(.+?): (.+)$", done.stdout, re.MULTILINE)


def kills(folder: Path, *words: str) -> dict[str, int]:
    """Run jobs that are killed at one file operation after the other; return how often each was."""
    return {name: int(times) for name, times in told("operations", folder, *words)}


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


def test_programs_that_write_the_same_at_once_leave_one_result(tmp_path: Path) -> None:
    assert len(told("at_once", tmp_path, 5, "results", "blind")) == 2


@pytest.mark.long
def test_programs_that_write_the_same_at_once_many_times(tmp_path: Path) -> None:
    jobs = ("results", "results without exchange", "csu", "npy", "bee", "blind", "npz")
    assert len(told("at_once", tmp_path, 60, *jobs)) == len(jobs)
    assert len(told("at_once", tmp_path, 10, "evaluation")) == 1
