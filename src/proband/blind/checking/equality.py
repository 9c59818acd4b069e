"""When two scores of the same two images count as equal, regardless of the size and tails of the other scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.blind.checking.matrices import Laid

_MOST_ROWS, _MOST_CELLS = 200, 1 << 20  # how much of a matrix is looked at
# Shares of the scores that lie between two quantiles, and how many standard deviations that is for a normal distribution;
# the wider ones serve where most scores are the same.
_WIDTHS = ((25.0, 75.0, 1.349), (5.0, 95.0, 3.290), (1.0, 99.0, 4.653))
_ROUNDING = 2.0**-17  # 128 times the rounding of a 32-bit float: sums of some thousand terms
_FAR_OFF = 2.0**10  # so many spreads from zero a score may lie and still have its whole rounding

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Equality:
    """The tolerance for two scores that must be equal.

    The difference allowed is `tolerance` times `spread`, plus the rounding of a 32-bit float of that score.
    Adding a large number to all scores of a query does not increase the rounding allowed: the distance of the
    score from the middle of its row is used.

    Attributes
    ----------
    spread
        The smallest of three typical spreads: within a row, within a column and over all. Each is an
        interquartile range, scaled to a standard deviation, so a few scores cannot change it.
    """

    tolerance: float
    spread: float

    @classmethod
    def of(cls, scores: Laid, tolerance: float) -> Equality:
        """Estimate the spread from rows spread over the matrix."""
        n_rows, n_columns = scores.shape
        n = min(n_rows, _MOST_ROWS, max(8, _MOST_CELLS // n_columns))
        rows = np.unique(np.linspace(0, n_rows - 1, n).round().astype(np.intp))
        values = scores.floats(rows).astype(np.float64)
        values[~np.isfinite(values)] = np.nan
        values = values[:, ~np.isnan(values).all(axis=0)]
        values = values[~np.isnan(values).all(axis=1)]
        if not values.size:
            return cls(tolerance, 0.0)
        found = [_spread(values, axis) for axis in (None, 0, 1)]
        return cls(tolerance, min((one for one in found if one > 0), default=0.0))

    def apart(self, one: Floats, other: Floats, middles: Floats) -> npt.NDArray[np.float64]:
        """Return the differences of scores relative to the tolerance: up to 1 they are equal.

        NaN marks a failure: two failures agree, a single failure is infinitely far. `middles` are those of
        the rows.
        """
        first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
        with np.errstate(over="ignore"):
            size = np.maximum(np.abs(first), np.abs(second))
            off = np.maximum(np.abs(first - middles), np.abs(second - middles)) + _FAR_OFF * self.spread
            allowed = self.tolerance * self.spread + _ROUNDING * np.fmin(size, off)
            gap = np.abs(first - second)
            share = np.divide(gap, allowed, out=np.full(gap.shape, np.inf), where=allowed > 0)
        lone = np.isnan(first) != np.isnan(second)
        return np.where(lone, np.inf, np.where(np.isnan(gap) | (gap == 0), 0.0, share))


def middles(ordered: Floats) -> Floats:
    """The median of each row, as a column, from rows that were sorted (failures last)."""
    n = np.maximum(1, (~np.isnan(ordered)).sum(axis=1, keepdims=True))
    return np.take_along_axis(ordered, (n - 1) // 2, axis=1)


def _spread(values: Floats, axis: int | None) -> float:
    """The median over rows or columns (or the one) of the spread of each; the first width that is not zero."""
    levels = sorted({level for low, high, _ in _WIDTHS for level in (low, high)})
    found = dict(zip(levels, np.nanpercentile(values, levels, axis=axis), strict=True))
    for low, high, deviations in _WIDTHS:
        width = float(np.median(found[high] - found[low]))
        if width > 0:
            return width / deviations
    return 0.0
