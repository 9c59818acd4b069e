"""Measures as functions of sums over units, so that thousands of replicates are one matrix product.

A *tally* holds a row of numbers for each unit (a probe or a person); the measure is a function of the weighted column sums.
Drawing units anew changes only the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.measures import CMC, MedianCensoredRank, MedianRelativeRank, Outcomes, RecognitionRate

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tally:
    """What each unit adds, and how the measure follows from the sums.

    Attributes
    ----------
    rows
        Units × columns.
    finish
        From replicates × columns to one value (or one curve) for each replicate.
    """

    rows: Floats
    finish: Callable[[Floats], Floats]

    def value(self) -> Floats:
        """The measure of the units as they are."""
        whole: Floats = self.finish(self.rows.sum(axis=0, keepdims=True))[0]
        return whole

    def values(self, weights: npt.NDArray[np.integer[Any] | np.floating[Any]]) -> Floats:
        """The measure of each replicate, given how often it draws each unit, or how much each weighs."""
        return self.finish(weights.astype(np.float64) @ self.rows)


@singledispatch
def tally(measure: object, outcomes: Outcomes, units: npt.NDArray[np.intp]) -> Tally:
    """Tally a measure over units; `units` numbers the unit of each probe from 0."""
    raise UsageError(
        f"{type(measure).__name__} cannot be resampled.",
        "use a rate, a CMC, a median rank, or RankStatistic(function) for your own.",
    )


@tally.register
def _(measure: RecognitionRate, outcomes: Outcomes, units: npt.NDArray[np.intp]) -> Tally:
    success = outcomes.success(measure.rank)
    rows = np.column_stack([np.bincount(units, weights=success), np.bincount(units)]).astype(np.float64)
    return Tally(rows, lambda sums: sums[:, 0] / sums[:, 1])


@tally.register
def _(measure: CMC, outcomes: Outcomes, units: npt.NDArray[np.intp]) -> Tally:
    last = min(outcomes.n_ranks, measure.max_rank or outcomes.n_ranks)
    columns = [np.bincount(units, weights=outcomes.success(t)) for t in range(1, last + 1)]
    rows = np.column_stack([*columns, np.bincount(units)]).astype(np.float64)
    return Tally(rows, lambda sums: sums[:, :-1] / sums[:, -1:])


@tally.register
def _(measure: MedianCensoredRank, outcomes: Outcomes, units: npt.NDArray[np.intp]) -> Tally:
    return _median(outcomes.censored(measure.rank), units)


@tally.register
def _(measure: MedianRelativeRank, outcomes: Outcomes, units: npt.NDArray[np.intp]) -> Tally:
    return _median(outcomes.relative_ranks, units)


def _median(values: Floats, units: npt.NDArray[np.intp]) -> Tally:
    """A median depends on how many probes have each value, and there are few values."""
    distinct, place = np.unique(values, return_inverse=True)
    rows = np.zeros((int(units.max()) + 1, len(distinct)))
    np.add.at(rows, (units, place), 1.0)

    def finish(sums: Floats) -> Floats:
        running = sums.cumsum(axis=1)
        half = running[:, -1:] / 2
        slack = 1e-9 * half  # weights need not be whole numbers
        lower = (running < half - slack).sum(axis=1)  # the place of the lower middle value
        upper = np.minimum((running <= half + slack).sum(axis=1), len(distinct) - 1)
        with np.errstate(invalid="ignore"):
            middle: Floats = np.where(
                lower == upper, distinct[lower], (distinct[lower] + distinct[upper]) / 2
            )
        return middle

    return Tally(rows, finish)
