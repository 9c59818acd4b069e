"""Balanced replicates of a CMC of 50 ranks, 10,000 people × 2 images, against the product with the array; then 100,000 people.

The array is ready before the clock of the products starts. Everything runs on one thread.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.job import Row, best_of
from proband.arrays import n_replicates, rao_hamming, replicate_totals

PEOPLE, MANY_PEOPLE, RANKS = 10_000, 100_000, 50
GATHERED = 40  # replicates that the slow ways are timed or checked on


def run() -> list[Row]:
    with threadpool_limits(1):
        return [*_of_a_cmc(), _of_many_people()]


def _of_a_cmc() -> list[Row]:
    k = n_replicates(2, PEOPLE)
    ranks = np.random.default_rng(0).geometric(0.2, (PEOPLE, 2))
    recognised = (ranks[:, :, None] <= np.arange(1, RANKS + 1)).astype(np.float64)
    replicate_totals(recognised)
    ours, found = best_of(20, lambda: replicate_totals(recognised))

    array = rao_hamming(2, k.bit_length() - 1, PEOPLE)
    naive, gathered = best_of(1, lambda: _gather(recognised, array[:GATHERED]))
    naive *= k / GATHERED
    rows = []
    for kind in (
        np.float64,
        np.float32,
    ):  # counts of people are whole numbers, so single precision is exact too
        signs = array.astype(kind)
        signs *= -2
        signs += 1
        values = recognised.astype(kind)
        peer, theirs = best_of(3, lambda: _by_product(values, signs))  # noqa: B023
        equal = np.array_equal(found, theirs) and np.array_equal(found[:GATHERED], gathered)
        job = f"replicates of a CMC: {PEOPLE:,} people × 2, {RANKS} ranks, k = {k:,}; {np.dtype(kind)}"
        least = 150 if kind is np.float64 else 100
        reached = peer >= least * ours
        rows.append(
            Row(job, ours, naive, peer, "product with ±1 array", f"≥ {least}× product", reached, equal)
        )
    return rows


def _of_many_people() -> Row:
    k = n_replicates(2, MANY_PEOPLE)
    values = np.random.default_rng(1).standard_normal((MANY_PEOPLE, 2))
    ours, found = best_of(5, lambda: replicate_totals(values))
    tracemalloc.start()
    replicate_totals(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    some = np.random.default_rng(2).integers(0, k, GATHERED)
    naive, gathered = best_of(1, lambda: _by_parity(values, some))
    equal = bool(np.abs(found[some] - gathered).max() <= 1e-12 * np.abs(found).max())
    job = f"{MANY_PEOPLE:,} people × 2, one statistic, k = {k:,}; {peak / 1e6:.0f} MB"
    reached = ours < 1 and peak < 1e9
    return Row(job, ours, naive * k / GATHERED, None, "", "< 1 s, < 1 GB", reached, equal)


def _gather(values: np.ndarray, array: np.ndarray) -> np.ndarray:
    people = np.arange(len(values))
    return np.array([values[people, row].sum(axis=0) for row in array])


def _by_product(values: np.ndarray, signs: np.ndarray) -> np.ndarray:
    first, second = values[:, 0], values[:, 1]
    return (signs @ (first - second) + values.sum(axis=(0, 1))) / 2


def _by_parity(values: np.ndarray, replicates: np.ndarray) -> np.ndarray:
    people = np.arange(len(values))
    symbols = (np.bitwise_count(replicates[:, None] & (people + 1)) & 1).astype(np.intp)
    return np.array([values[people, row].sum() for row in symbols])
