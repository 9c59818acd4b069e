"""Memory does not grow with the matrix: what is memory-mapped stays in its file."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from proband.blind import BlindTest, Key, Package
from proband.blind.checking.submission import Submission
from proband.blind.scoring import AnsweredTest, open_tests
from proband.measures import rank
from proband.samples import Samples


def submission(package: Package, key: Key, where: Path) -> Path:
    """Scores that are a fixed function of the two images."""
    place = {name: k for k, name in enumerate(key.samples.ids)}
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    subject = {name: int(code) for name, code in zip(key.samples.ids, key.samples.codes, strict=True)}

    def matrix(rows: tuple[str, ...], columns: tuple[str, ...]) -> np.ndarray:
        one, other = (np.array([place[sample[name]] for name in names]) for names in (rows, columns))
        mine, theirs = (np.array([subject[sample[name]] for name in names]) for names in (rows, columns))
        score = np.sin(1.7 * one[:, None] + 2.3 * other) + 2.0 * (mine[:, None] == theirs)
        return score.astype(np.float32)

    where.mkdir()
    np.save(where / "scores.npy", matrix(package.queries, package.targets))
    np.save(where / "control.npy", matrix(package.control_queries, package.control_targets))
    (where / "submission.toml").write_text('algorithm = "waves"\norientation = "similarity"\n')
    return where


@pytest.mark.long
def test_checking_and_scoring_are_bounded(tmp_path: Path) -> None:
    n = 2_500
    samples = Samples(
        {
            "id": [f"{k}-{side}" for side in "ab" for k in range(n)],
            "subject": [str(k) for k in range(n)] * 2,
            "side": ["a"] * n + ["b"] * n,
        }
    )
    made = BlindTest(samples, "side == 'a'", "side == 'b'").make(tmp_path / "test", tmp_path / "test.key")
    package, key = Package.read(made.packages[0].path), Key.read(made.keys[0])
    path = submission(package, key, tmp_path / "answer")
    size = (path / "scores.npy").stat().st_size

    def work() -> float:
        opened = open_tests([AnsweredTest(key, package, (Submission.read(path),))], threads=1)
        return float((rank(opened.scores[0], opened.experiment(), threads=1).ranks == 1).mean())

    def peak_of(run: Callable[[], float]) -> int:
        tracemalloc.start()
        try:
            assert run() > 0.99
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    work()  # compile and import first
    assert size > 25_000_000
    assert peak_of(work) < 80_000_000
