"""Exact ROC of the 200 million pairs of 20,000 embeddings, against sorting all their scores and scikit-learn's ROC.

Measured in CPU seconds on one thread. Sorting starts from an array that is already in memory and sorts float32 scores, which
are off in the seventh digit. A second row therefore sorts float64 scores, as Proband computes them (half the samples, scaled
by the number of pairs). scikit-learn is timed on a part and scaled in the same way. The bare matrix
product is what every method of scoring all pairs needs; the bound is the product and a compiled loop that counts every product
in one of 4,096 equal cells, which settles nothing.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit

from benchmarks.job import Result, Row
from proband.engine import one_blas_thread
from proband.measures.pairs.counts import PairCounts, count_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.samples import Samples
from proband.scores import Embeddings

TITLE = "Exact ROC from embeddings"
SAMPLES, IMAGES, DIMENSION = 20_000, 10, 128
GOOD, POOR = 1.0, 1.5  # noise of images about their person: equal error rates of 0.1 % and 3.7 %
CHECKED, HALF, PART = 2_000, 10_000, 3_000  # samples: of the check, of sorting in float64, of scikit-learn
STRIP = 256
ROWS, COLUMNS, CELLS = 512, 1024, 1 << 12  # of the bound


def run() -> list[Row]:
    child = [sys.executable, "-c", "from benchmarks.roc import peak_memory; print(peak_memory())"]
    root = Path(__file__).parents[1]
    megabytes = float(subprocess.run(child, check=True, capture_output=True, text=True, cwd=root).stdout)
    good, poor = embeddings(GOOD), embeddings(POOR)
    equal = all(
        _agrees(small, _ours(small)) for small in (embeddings(noise, CHECKED) for noise in (GOOD, POOR))
    )
    pairs = SAMPLES * (SAMPLES - 1) // 2
    ours, _ = _cpu(3, lambda: _ours(good))
    ours_poor, _ = _cpu(2, lambda: _ours(poor))
    with one_blas_thread():
        bare, _ = _cpu(3, lambda: _multiply(good))
        bound, _ = _cpu(3, lambda: _count_cells(good))
        singles = _sorting(good, np.float32)
        doubles = _sorting(embeddings(GOOD, HALF), np.float64) * pairs / (HALF * (HALF - 1) // 2)
        naive = _sklearn(embeddings(GOOD, PART)) * pairs / (PART * (PART - 1) // 2)
    name = f"exact ROC of {pairs / 1e6:.0f} M pairs"

    def judged(most: float, seconds: float) -> tuple[str, bool]:
        goal = f"≤ {most}× ({seconds / bare:.2f}×), or ≤ 1.1× the bound ({seconds / bound:.2f}×)"
        return goal, seconds <= max(most * bare, 1.1 * bound)

    rows = [
        Row(f"{name}, EER 0.1 %", ours, None, bare, "bare sgemm", *judged(1.4, ours), equal),
        Row(f"{name}, EER 3.7 %", ours_poor, None, bare, "bare sgemm", *judged(2.2, ours_poor), equal),
        Row(f"{name}, EER 0.1 %", ours, naive, singles, "fill + sort float32", f"≥ 4× (bare sgemm: {singles / bare:.1f}×) · ≥ 35× scikit-learn", singles >= 4 * ours and naive >= 35 * ours, equal),
        Row(f"{name}, EER 0.1 %", ours, None, doubles, "fill + sort float64", f"≥ 6× (bare sgemm: {doubles / bare:.1f}×)", doubles >= 6 * ours, equal),
    ]  # fmt: skip
    memory = Row(
        f"{name}: {megabytes:.0f} MB of memory", ours, None, None, "", "≤ 300 MB", megabytes <= 300, equal
    )
    return [*rows, memory]


def embeddings(noise: float, n: int = SAMPLES) -> tuple[Embeddings, Samples]:
    rng = np.random.default_rng(0)
    subjects = np.arange(n) // IMAGES
    vectors = rng.standard_normal((n // IMAGES, DIMENSION), dtype=np.float32)[subjects]
    vectors += np.float32(noise) * rng.standard_normal((n, DIMENSION), dtype=np.float32)
    samples = Samples({"id": np.arange(n), "subject": subjects})
    return Embeddings(vectors, samples.ids, metric="cosine"), samples


def peak_memory() -> float:
    """The most memory this process has ever held, imports included, once it has counted; in megabytes."""
    _ours(embeddings(GOOD), threads=2)
    status = Path("/proc/self/status")
    if status.exists():  # a started process's ru_maxrss begins at that of the process that started it
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _ours(data: tuple[Embeddings, Samples], threads: int = 1) -> PairCounts:
    scores, samples = data
    return count_pairs(scores, PairSet.of(scores, samples), threads=threads)


def _cpu(repeats: int, function: Callable[[], Result]) -> tuple[float, Result]:
    """The least CPU time of several runs, and what the last one gave."""
    least = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        least = min(least, time.process_time() - start)
    return least, result


def _multiply(data: tuple[Embeddings, Samples]) -> None:
    """The products of all pairs alone."""
    vectors = data[0].query_vectors
    out = np.empty((STRIP, len(vectors)), dtype=np.float32)
    for start in range(0, len(vectors), STRIP):
        strip = vectors[start : start + STRIP]
        np.matmul(strip, vectors[start:].T, out=out[: len(strip), start:])


def _count_cells(data: tuple[Embeddings, Samples]) -> None:
    """The products of all pairs, each counted once in equal cells while its strip is in a cache."""
    vectors = data[0].query_vectors
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    out = np.empty((ROWS, COLUMNS), dtype=np.float32)
    cells, places = np.zeros(CELLS, dtype=np.uint32), np.empty(COLUMNS, dtype=np.int32)
    for start in range(0, len(unit), ROWS):
        strip = unit[start : start + ROWS]
        for first in range(start, len(unit), COLUMNS):
            some = unit[first : first + COLUMNS]
            tile = out[: len(strip), : len(some)]
            np.matmul(strip, some.T, out=tile)
            _count(tile, np.float32(CELLS / 2), places, cells)


@njit(nogil=True)
def _count(tile, scale, places, cells):
    """Count cosines in equal cells; the places of a row are found in vectors."""
    last = np.float32(len(cells) - 1)
    for i in range(tile.shape[0]):
        for j in range(tile.shape[1]):
            places[j] = np.int32(min(last, (tile[i, j] + np.float32(1)) * scale))
        for j in range(tile.shape[1]):
            cells[places[j]] += np.uint32(1)


def _fill(data: tuple[Embeddings, Samples], out: np.ndarray) -> None:
    """Put the cosine of every pair into `out`, strip by strip."""
    vectors = data[0].query_vectors.astype(out.dtype)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    place = 0
    for start in range(0, len(unit), STRIP):
        tile = unit[start : start + STRIP] @ unit[start:].T
        for k, row in enumerate(tile):
            out[place : place + len(row) - k - 1] = row[k + 1 :]
            place += len(row) - k - 1


def _sorting(data: tuple[Embeddings, Samples], dtype: type[np.floating]) -> float:
    """CPU time of filling an array that is there with all scores and sorting it in place."""
    n = len(data[1])
    out = np.ones(n * (n - 1) // 2, dtype=dtype)

    def job() -> None:
        _fill(data, out)
        out.sort()

    return _cpu(1, job)[0]


def _sklearn(data: tuple[Embeddings, Samples]) -> float:
    from sklearn.metrics import roc_curve

    codes = data[1].codes
    out = np.empty(len(codes) * (len(codes) - 1) // 2, dtype=np.float32)
    mated = np.concatenate([codes[k + 1 :] == code for k, code in enumerate(codes)])

    def job() -> None:
        _fill(data, out)
        roc_curve(mated, out)

    return _cpu(2, job)[0]


def _agrees(data: tuple[Embeddings, Samples], counts: PairCounts) -> bool:
    """Whether the counts are those of sorting the defined scores of all pairs."""
    scores, samples = data
    every = np.arange(len(samples))
    upper = np.triu_indices(len(samples), 1)
    values = scores.tile(every, every)[upper]
    mated = samples.codes[upper[0]] == samples.codes[upper[1]]
    edges, at = np.unique(values[mated], return_counts=True)
    impostors = np.sort(values[~mated])
    return (
        np.array_equal(counts.edges, edges)
        and np.array_equal(counts.genuine_at, at)
        and np.array_equal(counts.impostor_ge, len(impostors) - np.searchsorted(impostors, edges, "left"))
        and np.array_equal(counts.impostor_gt, len(impostors) - np.searchsorted(impostors, edges, "right"))
        and counts.n_impostor == len(impostors)
        and [counts.lowest_impostor, counts.highest_impostor] == [impostors[0], impostors[-1]]
    )
