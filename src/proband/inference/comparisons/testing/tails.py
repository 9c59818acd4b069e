"""How far out a statistic, a draw or what was never seen is: p-values and quantiles."""

from __future__ import annotations

from math import inf

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


def scale_of(sizes: Floats) -> float:
    """Return the standard deviation of the normal distribution that goes on where draws end, from their sizes about their mean.

    It is their root mean square, unless their tail is heavier than normal by more than chance makes it: then as much larger that
    no quantile of theirs, from the 95th up to the fifth largest draw, is above the normal one.
    """
    usual, n = float(np.sqrt(np.mean(np.square(sizes)))), len(sizes)
    places = np.array(
        [place for place in (int(share * (n + 1)) for share in _TAIL) if place >= _FEWEST_BEYOND]
    )
    if not len(places):
        return usual
    largest = np.partition(sizes, n - places)[n - places]
    heaviest = float((largest / -normal_inverse(places / (n + 1) / 2)).max())
    return heaviest if heaviest > _HEAVY * usual else usual


def beyond(z: float, as_far: int, draws: int, sides: int = 1) -> float:
    """Return the p-value of what so many of the draws are as far as; where none is, a normal distribution's if that is smaller."""
    counted = sides * (1 + as_far) / (1 + draws)
    return min(counted, two_sided(z, None)) if as_far == 0 else counted


def unvaried(difference: float, units: float | None) -> float:
    """Return the p-value of a difference of rates that is the same for each of so many units: 2(1 + |d|)^−units.

    That is the level at which a share of people who were not seen (`unseen`) and differ wholly the other way could make up for
    it. For a difference of 1 it is the sign flip's, 2^(1 − units). Two that do not differ, and a single unit, show nothing.
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
