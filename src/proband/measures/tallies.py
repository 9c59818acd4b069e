"""Measures as functions of sums over units, so that thousands of replicates are one matrix product.

A *tally* holds a row of numbers for each unit (a probe or a person); the measure is a function of the weighted column sums.
Resampling changes only the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from proband.engine.foreign import number_by
from proband.engine.kinds import Axes
from proband.errors import UsageError
from proband.words import count

Floats = npt.NDArray[np.float64]
RankRows = Annotated[npt.NDArray[np.float64], Axes(2)]
"""A row of ranks for each trial."""
Units = Annotated[npt.NDArray[np.intp], Axes(1)]


@dataclass(frozen=True, eq=False)
class Tally:
    """The contributions of units, and the function that computes the measure from their sums.

    Attributes
    ----------
    rows
        Units × columns.
    finish
        A picklable function from replicates × columns to one value (or one curve) for each replicate.
    distinct
        For a median, the ascending values counted by the columns; otherwise None.
    """

    rows: Floats
    finish: Callable[[Floats], Floats]
    distinct: Floats | None = None

    @property
    def n_units(self) -> int:
        """The number of units."""
        return len(self.rows)

    def value(self) -> Floats:
        """The measure of the units, each counted once."""
        whole: Floats = self.finish(self.rows.sum(axis=0, keepdims=True))[0]
        return whole

    def values(self, weights: npt.NDArray[np.integer[Any] | np.floating[Any]]) -> Floats:
        """The measure of each replicate, given the number of draws or the weight of each unit."""
        return self.finish(weights.astype(np.float64) @ self.rows)


def check_units(units: Units, n: int) -> None:
    """Refuse unit numbers unless there is one for each probe."""
    if len(units) != n or units.min(initial=0) < 0:
        raise UsageError(
            f"Each of the {count(n)} probes needs a unit number, counted from 0; got {count(len(units))} "
            "numbers."
        )


def mean_tally(values: Floats, units: Units, weights: Floats | None = None) -> Tally:
    """Make the tally of a mean over probes: sums of values and of probes or weights, by unit."""
    check_units(units, len(values))
    weight = np.ones_like(values) if weights is None else weights
    rows = np.column_stack([np.bincount(units, weights=one) for one in (values * weight, weight)])
    return Tally(rows.astype(np.float64), ratio)


def ratio(sums: Floats) -> Floats:
    """Divide the first column by the second."""
    return sums[:, 0] / sums[:, 1]


def ratios(sums: Floats) -> Floats:
    """Divide every column but the last by the last."""
    return sums[:, :-1] / sums[:, -1:]


def median_tally(values: Floats, units: Units) -> Tally:
    """Make the tally of a median: the number of probes with each distinct value, by unit."""
    check_units(units, len(values))
    distinct, place = np.unique(values, return_inverse=True)
    rows = np.zeros((int(units.max()) + 1, len(distinct)))
    np.add.at(rows, (units, place), 1.0)
    return Tally(rows, _Median(distinct), distinct)


@dataclass(frozen=True, eq=False)
class _Median:
    """The median of values, given their counts."""

    distinct: Floats

    def __call__(self, sums: Floats) -> Floats:
        distinct, running = self.distinct, sums.cumsum(axis=1)
        half = running[:, -1:] / 2
        slack = 1e-9 * half  # weights may be fractions
        lower = (running < half - slack).sum(axis=1)  # the position of the lower middle value
        upper = np.minimum((running <= half + slack).sum(axis=1), len(distinct) - 1)
        with np.errstate(invalid="ignore"):
            middle: Floats = np.where(
                lower == upper, distinct[lower], (distinct[lower] + distinct[upper]) / 2
            )
        return middle


def function_tally(
    function: Callable[..., float], name: str, weighted: bool, ranks: Floats, units: Units
) -> Tally:
    """Make the tally of any function of ranks: it counts draws, and each replicate is expanded and evaluated."""
    check_units(units, len(ranks))
    return Tally(np.eye(int(units.max()) + 1), _Repeated(function, name, weighted, ranks, units))


@dataclass(frozen=True, eq=False)
class _Repeated:
    """A function of ranks, evaluated in each replicate."""

    function: Callable[..., float]
    name: str
    weighted: bool
    ranks: Floats
    units: Units

    def __call__(self, weights: Floats) -> Floats:
        found = np.empty(len(weights))
        for place, draws in enumerate(weights):
            own = draws[self.units]
            given = (self.ranks, own) if self.weighted else (np.repeat(self.ranks, own.astype(np.intp)),)
            found[place] = number_by(self.function, self.name, *given)
        return found
