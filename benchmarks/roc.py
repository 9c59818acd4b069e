"""Exact ROC over all pairs of 20,000 embeddings of 128 components, against sorting all scores."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks.job import Row, best_of
from proband.measures.pair_counts import count_pairs
from proband.measures.pairs import PairSet
from proband.measures.verification import ErrorRates
from proband.samples import Samples
from proband.scores import Embeddings

PEOPLE, IMAGES, DIMENSION = 5_000, 4, 128
SMALL, TINY = 4_000, 1_500  # vectors that the slow ways are timed on; their time grows with the pairs


def _data(n: int) -> tuple[Samples, Embeddings, np.ndarray]:
    rng = np.random.default_rng(0)
    ids = [str(k) for k in range(n)]
    own = np.arange(n) // IMAGES
    vectors = rng.standard_normal((n // IMAGES + 1, DIMENSION))[own] + 0.9 * rng.standard_normal(
        (n, DIMENSION)
    )
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    samples = Samples({"id": ids, "subject": own.astype(str).tolist()})
    return samples, Embeddings(vectors, ids, metric="cosine", name="net"), vectors


def _rates(samples: Samples, scores: Embeddings) -> ErrorRates:
    return ErrorRates("net", True, count_pairs(scores, PairSet.of(scores, samples), threads=1))


def _sorted(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fill an array with every pair's score, tile by tile, and sort it in place."""
    n = len(vectors)
    own = np.arange(n) // IMAGES
    impostor = np.empty(n * (n - 1) // 2, dtype=np.float32)
    genuine, used = [], 0
    for i in range(0, n, 512):
        tile = vectors[i : i + 512] @ vectors.T
        for row in range(len(tile)):
            later = tile[row, i + row + 1 :]
            same = own[i + row + 1 :] == own[i + row]
            genuine.append(later[same])
            others = later[~same]
            impostor[used : used + len(others)] = others
            used += len(others)
    impostor = impostor[:used]
    impostor.sort()
    return np.concatenate(genuine), impostor


def run() -> list[Row]:
    n = PEOPLE * IMAGES
    pairs = n * (n - 1) // 2
    _rates(*_data(400)[:2])
    samples, scores, _ = _data(n)
    ours, found = best_of(2, lambda: _rates(samples, scores))
    few_samples, few_scores, few = _data(SMALL)
    sorting, (genuine, impostor) = best_of(1, lambda: _sorted(few))
    sorting *= pairs / (SMALL * (SMALL - 1) // 2)
    peer = _sklearn() * pairs / (TINY * (TINY - 1) // 2)
    small = _rates(few_samples, few_scores)
    point = small.at_fmr(1e-3)
    limit = impostor[::-1][int(1e-3 * len(impostor))]
    # float32 scores may part from the defined ones in the last digit, so a few comparisons may fall on the other side.
    close = abs(point.false_non_matches - int((genuine <= limit).sum())) <= 3
    closer = np.searchsorted(impostor, genuine) / len(impostor)
    equal = close and abs(small.auc() - float(closer.mean())) < 1e-6
    memory = _memory()
    job = f"exact ROC of {pairs / 1e6:.0f} M pairs; {memory:.0f} MB more"
    reached = sorting >= 6 * ours and peer >= 35 * ours and memory <= 300
    assert found.counts.n_impostor > 0
    return [
        Row(
            job,
            ours,
            sorting,
            peer,
            "scikit-learn roc_curve",
            "≥ 6× sort, ≥ 35× sklearn, ≤ 300 MB",
            reached,
            equal,
        )
    ]


def _sklearn() -> float:
    from sklearn.metrics import roc_curve

    genuine, impostor = _sorted(_data(TINY)[2])
    truth = np.concatenate([np.ones(len(genuine)), np.zeros(len(impostor))])
    values = np.concatenate([genuine, impostor])
    values = np.random.default_rng(0).permutation(values)
    return best_of(2, lambda: roc_curve(truth, values))[0]


MEASURE = """
import resource
from benchmarks.roc import _data, _rates, PEOPLE, IMAGES
_rates(*_data(400)[:2])
samples, scores, _ = _data(PEOPLE * IMAGES)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
_rates(samples, scores)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def _memory() -> float:
    """How much the count adds to the memory of a process, in MB."""
    done = subprocess.run([sys.executable, "-c", MEASURE], check=True, capture_output=True, text=True)
    return float(done.stdout)
