"""Balanced repeated replication of a mean over 481 and 1,000 strata of two units, against R's survey package.

Measured in CPU seconds, including building the replicates. The variance of a mean does not depend on the choice of balanced
array.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

import proband as pb
from benchmarks.job import Row, best_of
from benchmarks.peers import compare, handed

STRATA = (481, 1_000)


def run(strata: tuple[int, ...] = STRATA) -> list[Row]:
    return [_row(n) for n in strata]


def _row(n_strata: int) -> Row:
    rng = np.random.default_rng(n_strata)
    values = rng.standard_normal(n_strata)[:, None] + rng.standard_normal((n_strata, 2))
    numbers, units = np.repeat(np.arange(n_strata), 2), values.ravel()

    def mean(weights: np.ndarray) -> float:
        return float(weights @ units / weights.sum())

    ours, found = best_of(
        5, lambda: pb.survey.estimate_weighted(mean, numbers, design=pb.designs.BRR()), time.process_time
    )

    def agrees(answer: Mapping[str, Any]) -> bool:
        variance = found.standard_error**2
        return (
            abs(answer["mean"] - found.value) <= 1e-12
            and abs(answer["variance"] - variance) <= 1e-9 * variance
        )

    with handed(values=values) as folder:
        return compare(
            f"BRR of a mean, {n_strata:,} strata of 2",
            ours,
            "survey",
            "brr",
            folder,
            agrees,
            "mean to 1e-12, variance to a part in 1e9",
        )
