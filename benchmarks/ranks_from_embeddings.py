"""Full ranks of 10,000 probes among 100,000 embeddings of 512 components, against the bare matrix multiplication.

Measured in CPU seconds of all threads, the minimum of several runs, so that other load on the machine matters little.
"""

from __future__ import annotations

import resource
import time

import numpy as np

from benchmarks.job import Row, best_of
from proband.engine import one_blas_thread, run_blocks
from proband.measures import CMC, rank
from proband.samples import Experiment, Samples
from proband.scores import Embeddings

PROBES, GALLERY, DIMENSION = 10_000, 100_000, 512
NAIVE_PROBES = 100  # the naive way is timed on these and scaled up
TILE = (1024, 512)  # as ours; there is no faster one
BLOCK = 2048  # of the gallery, which a thread takes at a time
REPEATS = 3


def run() -> list[Row]:
    rng = np.random.default_rng(0)
    gallery = rng.standard_normal((GALLERY, DIMENSION), dtype=np.float32)
    probes = gallery[:PROBES] * 0.25 + rng.standard_normal((PROBES, DIMENSION), dtype=np.float32)
    ids = [f"g{k}" for k in range(GALLERY)] + [f"p{k}" for k in range(PROBES)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    experiment = Experiment(samples, gallery=np.arange(GALLERY + PROBES) < GALLERY)
    embeddings = Embeddings(probes, ids[GALLERY:], metric="cosine", targets=gallery, target_ids=ids[:GALLERY])
    rank(embeddings, experiment.restricted(probes=experiment.probes[:2]))  # compile first

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours = bare = float("inf")
    for _ in range(REPEATS):  # by turns, since the machine is not as fast all the time
        took, outcomes = best_of(1, lambda: _curve(embeddings, experiment), time.process_time)
        ours = min(ours, took)
        bare = min(bare, best_of(1, lambda: multiply(probes, gallery), time.process_time)[0])
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    naive, ranks = best_of(1, lambda: _naive(probes[:NAIVE_PROBES], gallery), time.process_time)
    equal = np.array_equal(ranks, outcomes.ranks[:NAIVE_PROBES])
    job = f"ranks and CMC, {PROBES:,} × {GALLERY:,} × {DIMENSION} (memory +{grown:.0f} MB)"
    goal = f"≤ 1.10× of bare sgemm ({ours / bare:.2f}×)"
    return [
        Row(job, ours, naive * PROBES / NAIVE_PROBES, bare, "bare sgemm", goal, ours <= 1.10 * bare, equal)
    ]


def _curve(embeddings: Embeddings, experiment: Experiment):
    outcomes = rank(embeddings, experiment)
    CMC()(outcomes)
    return outcomes


def multiply(probes: np.ndarray, gallery: np.ndarray, threads: int | None = None) -> None:
    """The multiplication alone, in the same tiles and on as many threads."""
    rows, columns = TILE

    def one(start: int) -> None:
        out = np.empty((rows, columns), dtype=np.float32)
        for first in range(0, len(probes), rows):
            part = probes[first : first + rows]
            for begin in range(start, start + BLOCK, columns):
                block = gallery[begin : min(begin + columns, start + BLOCK)]
                np.matmul(part, block.T, out=out[: len(part), : len(block)])

    with one_blas_thread():
        for _ in run_blocks(one, range(0, len(gallery), BLOCK), threads):
            pass


def _naive(probes: np.ndarray, gallery: np.ndarray) -> np.ndarray:
    """Whole rows in float64, sorted."""
    unit = gallery / np.linalg.norm(gallery.astype(np.float64), axis=1, keepdims=True)
    ranks = []
    for k, probe in enumerate(probes.astype(np.float64)):
        scores = unit @ (probe / np.linalg.norm(probe))
        order = np.argsort(-scores, kind="stable")
        ranks.append(int(np.flatnonzero(order == k)[0]) + 1)
    return np.array(ranks)
