"""What is held while lists, masks and several algorithms are gone through: by counting, and never by a clock."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.inference.verification.people.drawings import AtRates
from proband.inference.verification.people.partial_meetings import GappedComparisons
from proband.inference.verification.shared import Shared
from proband.kernels.codes import FAILED
from proband.measures.pairs.pair_set import PairSet


def listed(n: int, people: int, images: int = 2) -> tuple[pb.Samples, pl.DataFrame]:
    """All genuine pairs and some others, each once, in no order."""
    rng = np.random.default_rng(0)
    names = [f"person-{k // images:07d}/image-{k % images}" for k in range(people * images)]
    samples = pb.Samples({"id": names, "subject": [name.split("/")[0] for name in names]})
    size = len(names)
    keys = rng.integers(0, size**2, n)
    own = np.arange(0, size, images)
    keys = np.unique(np.concatenate([keys[keys // size < keys % size], own * size + own + 1]))
    keys = rng.permutation(keys)
    ids = pl.Series(names)
    score = rng.normal(size=len(keys)) + 3.0 * (keys // size // images == keys % size // images)
    table = {"query": ids.gather(keys // size), "target": ids.gather(keys % size), "score": score}
    return samples, pl.DataFrame(table)


def traced(job) -> int:
    """The most bytes that Python and NumPy held at once."""
    tracemalloc.start()
    try:
        job()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_list_takes_few_bytes_a_pair():
    """Names are numbers from the gate on, and what is made of them on the way is bounded."""
    samples, frame = listed(400_000, 2000)
    trials = pb.Trials(frame, "similarity").with_samples(samples)
    names = ("query", "target", "query_subject", "target_subject")
    assert all(isinstance(trials.frame[name].dtype, pl.Enum) for name in names)
    assert trials.frame.estimated_size() <= 30 * len(trials)
    pb.verify(trials.__class__(trials.frame.head(500), "similarity"), n_resamples=0)  # compile, import
    assert traced(lambda: pb.verify(trials, n_resamples=0)) < 100 * len(trials)


def test_a_mask_is_held_by_what_it_leaves_out():
    rng = np.random.default_rng(0)
    ids = [f"{k}" for k in range(1200)]
    samples = pb.Samples({"id": ids, "subject": [f"p{k // 2}" for k in range(1200)]})
    cells = np.zeros((1200, 1200), dtype=np.uint8)
    cells[3, 900], cells[900, 3] = FAILED, FAILED
    scores = pb.Scores.from_array(rng.random(cells.shape), ids, orientation="similarity", cells=cells)
    pairs = PairSet.of(scores, samples)
    found: list[Shared] = []
    held = traced(lambda: found.append(Shared.of(scores, pairs, np.inf)))
    assert isinstance(found[0].comparisons, GappedComparisons)
    assert len(found[0].comparisons.gaps.counts) == 1
    assert held < 3 * scores.tile(pairs.rows, pairs.columns).nbytes


def test_people_are_drawn_once_for_each_algorithm(monkeypatch):
    """k algorithms make k(k − 1)/2 differences, of k bootstraps."""
    rng = np.random.default_rng(0)
    ids = [f"{k}" for k in range(120)]
    samples = pb.Samples({"id": ids, "subject": [f"p{k // 3}" for k in range(120)]})
    people = np.repeat(rng.normal(size=(40, 8)), 3, axis=0)
    nets = [
        pb.Embeddings(people + rng.normal(size=people.shape), ids, metric="cosine", name=f"{k}")
        for k in range(5)
    ]
    seen = []
    measure = AtRates.__call__
    monkeypatch.setattr(
        AtRates, "__call__", lambda self, weights: seen.append(len(weights)) or measure(self, weights)
    )
    pb.compare(nets, samples, measure=pb.measures.FNMR(0.05))
    assert sum(seen) == len(nets) * 2000


PROGRAM = """
import sys
from proband.cli import main
sys.argv[0] = "proband"
try:
    main()
except SystemExit as end:
    assert not end.code
print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0], file=sys.stderr)
"""


def peak_of(*command: object) -> float:
    """The most memory that a command took, in GB."""
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, command)], check=True, capture_output=True, text=True
    ).stderr
    return int(told.split()[-1]) / 1e6


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is told by /proc")
def test_ten_million_pairs_in_two_gigabytes(tmp_path):
    samples, frame = listed(20_000_000, 10_000, 4)
    samples.frame.select("id", "subject").write_csv(tmp_path / "samples.csv")
    for ending, write in (("csv", frame.write_csv), ("parquet", frame.write_parquet)):
        path = tmp_path / f"pairs.{ending}"
        write(path)
        assert peak_of("verify", path, "-s", tmp_path / "samples.csv", "--orientation", "similarity") < 2
