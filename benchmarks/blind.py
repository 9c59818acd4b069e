"""Check and score a blind submission of 10,000 × 10,000 scores in bounded memory.

The scores take 400 MB in a memory-mapped file.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.job import Row, best_of
from proband.blind import BlindTest, Key, Package
from proband.blind.checking.submission import Submission
from proband.blind.scoring import AnsweredTest, open_tests
from proband.measures import rank
from proband.samples import Samples

PEOPLE = 10_000
MEGABYTES = 600
Result = TypeVar("Result")


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        package, key = _test(Path(folder))
        path = _answer(Path(folder) / "answer", package, key)

        def score() -> float:
            opened = open_tests([AnsweredTest(key, package, (Submission.read(path),))])
            return float((rank(opened.scores[0], opened.experiment()).ranks == 1).mean())

        def naive() -> float:
            # Repeats are left in: they have the rank of what they repeat, and are too few to change the share by much.
            matrix = np.load(path / "scores.npy")
            owner = np.array(_numbers(package.targets, key))
            return float((owner[matrix.argmax(axis=1)] == np.array(_numbers(package.queries, key))).mean())

        seconds, (share, peak) = best_of(1, lambda: _watched(score))
        plain, expected = best_of(1, naive)
    job = f"check and score a blind {PEOPLE:,} × {PEOPLE:,} submission, {peak:.0f} MB of memory of its own"
    goal = f"< {MEGABYTES} MB"
    return [
        Row(
            job,
            seconds,
            None,
            plain,
            "numpy load and argmax, nothing checked",
            goal,
            peak < MEGABYTES,
            abs(share - expected) < 0.01,
        )
    ]


def _test(folder: Path) -> tuple[Package, Key]:
    names = {
        "id": [f"{side}{k}" for side in "ab" for k in range(PEOPLE)],
        "subject": [str(k) for k in range(PEOPLE)] * 2,
        "side": ["a"] * PEOPLE + ["b"] * PEOPLE,
    }
    made = BlindTest(Samples(names), "side == 'a'", "side == 'b'").make(folder / "test", folder / "test.key")
    return made.packages[0], Key.read(made.keys[0])


def _answer(path: Path, package: Package, key: Key) -> Path:
    """Scores that are a fixed function of two people, block by block."""
    path.mkdir()
    for part, queries, targets in (
        ("scores", package.queries, package.targets),
        ("control", package.control_queries, package.control_targets),
    ):
        rows, columns = (np.array(_numbers(names, key)) for names in (queries, targets))
        matrix = np.lib.format.open_memmap(path / f"{part}.npy", "w+", np.float32, (len(rows), len(columns)))
        for start in range(0, len(rows), 500):
            own = rows[start : start + 500, None]
            matrix[start : start + 500] = np.sin(1.7 * own + 2.3 * columns) + 2.0 * (own == columns) * (
                own % 7 > 0
            )
        matrix.flush()
    (path / "submission.toml").write_text('algorithm = "waves"\norientation = "similarity"\n')
    return path


def _numbers(names: tuple[str, ...], key: Key) -> list[int]:
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    return [int(sample[name][1:]) for name in names]


def _watched(work: Callable[[], Result]) -> tuple[Result, float]:
    """Run, and tell the most memory held meanwhile in megabytes, pages of mapped files left aside (Linux)."""
    done = threading.Event()
    peak = 0.0

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.02):
            peak = max(peak, _anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        return work(), max(peak, _anonymous())
    finally:
        done.set()
        watcher.join()


def _anonymous() -> float:
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("RssAnon")).split()[1]) / 1024
