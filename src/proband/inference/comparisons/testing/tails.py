"""How far out a statistic, a draw or what was never seen is: p-values and quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.distributions import normal_cdf, normal_inverse, t_cdf, t_inverse
from proband.results.base import Interval

Floats = npt.NDArray[np.float64]
_TAIL = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001)  # of draws, where their tail is looked at
_FEWEST_BEYOND = 5  # draws that a look at the tail needs
_HEAVY = 1.15  # a tail that is so many times as wide as a normal one is no chance


def has_spread(draws: Floats) -> bool:
    """Say whether drawings differ by more than rounding."""
    return bool(len(draws)) and Interval(float(draws.min()), float(draws.max())).has_width


@dataclass(frozen=True, eq=False)
class RankedStatistics:
    """A statistic's sizes in draws, by their order: whole sums take few different values, however many draws there are.

    Attributes
    ----------
    values
        Those that may occur, ascending.
    places
        Which of them each draw has.
    """

    values: Floats
    places: npt.NDArray[np.intp]

    @classmethod
    def of(cls, sizes: Floats) -> RankedStatistics:
        """Put the sizes of draws in order."""
        return cls(*np.unique(sizes, return_inverse=True))

    @property
    def p_values(self) -> Floats:
        """What each draw's size counts for: its normal p-value, or what its rank tells, half the weight of what is as large."""
        n = len(self.places)
        counts = np.bincount(self.places, minlength=len(self.values))
        up_to = np.cumsum(counts)
        tail = _tail_of(n)
        largest = self.values[np.searchsorted(up_to, n - tail, "right")]
        scale = _going_on(self.values[self.places], tail, largest)
        if not scale > 0:
            return np.ones(n)
        ranked = 1.0 - (2 * up_to - counts) / (2 * n)
        p: Floats = np.minimum(ranked, 2 * normal_cdf(-self.values / scale))[self.places]
        return p


def scale_of(sizes: Floats) -> float:
    """Return the standard deviation of the normal distribution that goes on where draws end, from their sizes about their mean.

    It is their root mean square, unless their tail is heavier than normal by more than chance makes it: then as much larger that
    no quantile of theirs, from the 95th up to the fifth largest draw, is above the normal one.
    """
    places = _tail_of(len(sizes))
    largest = np.partition(sizes, len(sizes) - places)[len(sizes) - places] if len(places) else places
    return _going_on(sizes, places, largest)


def _tail_of(n: int) -> npt.NDArray[np.intp]:
    """How many of the largest of n draws are looked at, each time."""
    places = (int(share * (n + 1)) for share in _TAIL)
    return np.array([place for place in places if place >= _FEWEST_BEYOND], dtype=np.intp)


def _going_on(sizes: Floats, places: npt.NDArray[np.intp], largest: npt.NDArray[Any]) -> float:
    """What `scale_of` says, where the least of so many largest draws are known."""
    usual, n = float(np.sqrt(np.mean(np.square(sizes)))), len(sizes)
    if not len(places):
        return usual
    heaviest = float((largest / -normal_inverse(places / (n + 1) / 2)).max())
    return heaviest if heaviest > _HEAVY * usual else usual


def beyond(z: float, as_far: int, draws: int, sides: int = 1) -> float:
    """Return the p-value of what so many of the draws are as far as; where none is, a normal distribution's if that is smaller."""
    counted = sides * (1 + as_far) / (1 + draws)
    return min(counted, two_sided(z, None)) if as_far == 0 else counted


def unvaried(difference: float, units: float | None) -> float:
    """Return the p-value of a difference of rates that is the same for each of so many units: 2(1 + |d|)^−units.

    That is the level at which a share of people who were not seen (`unseen`) and differ wholly the other way could make up for
    it. For a difference of 1 it is the exact sign flip's, 2^(1 − units), twice its mid-p. Two that do not differ, and a single unit, show nothing.
    """
    return 1.0 if units is None else min(1.0, 2 * (1 + abs(difference)) ** -units)


def unseen(alpha: float, units: float | None) -> float:
    """Return how often what none of so many independent units shows may yet be: 1 − (α/2)^(1/units), 0 where that is not known."""
    return 0.0 if units is None else float(-np.expm1(np.log(alpha / 2) / max(units, 1.0)))


def two_sided(z: float, freedom: float | None) -> float:
    """Return the chance of a statistic at least as far from 0: normal, or Student's with degrees of freedom."""
    return min(1.0, float(2 * (normal_cdf(-z) if freedom is None else t_cdf(freedom, -z))))


def quantile(alpha: float, freedom: float | None) -> float:
    """Return how far from 0 a statistic is with the chance `alpha`: the inverse of `two_sided`."""
    if freedom is not None and freedom < 1:
        return inf
    return -float(normal_inverse(alpha / 2) if freedom is None else t_inverse(freedom, alpha / 2))
