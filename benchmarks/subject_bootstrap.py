"""Bootstrap verification error rates over 2,000 people: FMR at 20 thresholds, and FNMR at FMR 0.001 with the threshold re-estimated."""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.job import Row, best_of
from proband.inference.verification.intervals.dyadic_bootstrap import (
    bootstrapped_error_rates,
    fnmr_at_fmr_replicates,
)
from proband.inference.verification.people.drawings import subject_weights
from proband.inference.verification.people.meetings import Comparisons

PEOPLE, THRESHOLDS, REPLICATES, FMR = 2_000, 20, 1_000, 1e-3
MATERIALISED, LOOPED = 4, 20  # replicates that the slow ways are timed on; their time is per replicate


def run() -> list[Row]:
    rng = np.random.default_rng(0)
    effects = rng.normal(0, 0.3, PEOPLE).astype(np.float32)
    scores = rng.standard_normal((PEOPLE, PEOPLE), dtype=np.float32)
    scores = np.triu(scores, 1) + np.triu(scores, 1).T + effects[:, None] + effects
    genuine = effects + rng.normal(3.5, 0.7, PEOPLE).astype(np.float32)
    i, j = np.triu_indices(PEOPLE, 1)
    impostors = scores[i, j]
    thresholds = np.quantile(impostors, 1 - np.geomspace(1e-4, 1e-2, THRESHOLDS)).astype(np.float32)
    everybody = np.ones(PEOPLE, dtype=np.int64)
    comparisons = Comparisons(everybody, everybody, symmetric=True)
    kept = impostors >= thresholds.min()
    tail = (i[kept], j[kept], impostors[kept])
    weights = subject_weights("vertex", PEOPLE, LOOPED, 0, 0)
    return [
        _at_thresholds(scores, tail, comparisons, thresholds, weights),
        _at_fmr(scores, genuine, tail, comparisons, weights),
    ]


def _at_thresholds(
    scores: np.ndarray,
    tail: tuple[np.ndarray, ...],
    comparisons: Comparisons,
    thresholds: np.ndarray,
    weights: np.ndarray,
) -> Row:
    def ours() -> np.ndarray:
        return bootstrapped_error_rates(*tail, comparisons, thresholds, REPLICATES, threads=1).fmr_replicates

    ours()
    took, found = best_of(7, ours)
    naive, materialised = best_of(
        1, lambda: [_resampled_rates(scores, w, thresholds) for w in weights[:MATERIALISED]]
    )
    ascending = np.sort(thresholds)
    _weighted_loop(scores, weights[0], ascending)
    loop, looped = best_of(3, lambda: [_weighted_loop(scores, w, ascending) for w in weights])
    back = np.searchsorted(ascending, thresholds)
    equal = np.array_equal(found[:MATERIALISED], materialised) and np.array_equal(
        found[:LOOPED], np.array(looped)[:, back]
    )
    naive, loop = naive * REPLICATES / MATERIALISED, loop * REPLICATES / LOOPED
    job = f"FMR at {THRESHOLDS} thresholds, {REPLICATES:,} drawings of {PEOPLE:,} people"
    reached = naive >= 1000 * took and loop >= 20 * took
    return Row(job, took, naive, loop, "weighted numba loop", "≥ 1,000× naive, ≥ 20× loop", reached, equal)


def _at_fmr(
    scores: np.ndarray,
    genuine: np.ndarray,
    tail: tuple[np.ndarray, ...],
    comparisons: Comparisons,
    weights: np.ndarray,
) -> Row:
    people = np.arange(PEOPLE)

    def ours() -> np.ndarray:
        return fnmr_at_fmr_replicates(*tail, people, genuine, comparisons, FMR, REPLICATES, threads=1)

    ours()
    took, found = best_of(7, ours)
    naive, materialised = best_of(
        1, lambda: [_resampled_fnmr(scores, genuine, w) for w in weights[:MATERIALISED]]
    )
    equal = np.array_equal(found[:MATERIALISED], materialised)
    naive *= REPLICATES / MATERIALISED
    job = f"FNMR at FMR {FMR:g}, the threshold re-estimated"
    return Row(job, took, naive, None, "", "≥ 800× naive", naive >= 800 * took, equal)


def _resampled(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The impostor scores of the people drawn: copies of one person are no impostors of each other."""
    drawn = np.repeat(np.arange(PEOPLE), weights)
    matrix = scores[np.ix_(drawn, drawn)]
    return matrix[np.triu(drawn[:, None] != drawn, 1)]


def _resampled_rates(scores: np.ndarray, weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    impostors = _resampled(scores, weights)
    return np.array([(impostors >= t).sum() / len(impostors) for t in thresholds])


def _resampled_fnmr(scores: np.ndarray, genuine: np.ndarray, weights: np.ndarray) -> float:
    impostors = np.sort(_resampled(scores, weights))
    mates = np.repeat(genuine, weights)
    last_allowed = impostors[len(impostors) - int(FMR * len(impostors)) - 1]
    return float((mates <= last_allowed).sum() / len(mates))


@njit
def _weighted_loop(scores, weights, thresholds):
    """Go through all pairs with their weights, without copying people."""
    n = len(weights)
    counts = np.zeros(len(thresholds) + 1, dtype=np.int64)
    total = 0
    for i in range(n):
        if weights[i] == 0:
            continue
        for j in range(i + 1, n):
            weight = weights[i] * weights[j]
            total += weight
            if weight and scores[i, j] >= thresholds[0]:
                counts[np.searchsorted(thresholds, scores[i, j], side="right")] += weight
    return counts[::-1].cumsum()[::-1][1:] / total
