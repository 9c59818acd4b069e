"""One computation behind a verdict: the p-value of every difference there could be.

A curve gives each hypothetical difference δ a two-sided p-value. The p-value of a comparison is its height at zero, an interval
holds the δ whose p-value is above α, and bounds of a margin are the ends of a narrower such interval. So they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from proband.inference.comparisons.mcnemar import tango_counts
from proband.results.base import Interval

Floats = npt.NDArray[np.float64]
_LEAST = float(np.finfo(np.float64).tiny)
_HALVINGS = 30
_LEAST_LEVEL = 1e-15


class Curve(Protocol):
    """What is known of a difference: its p-value at zero, and the interval at any level."""

    @property
    def p_value(self) -> float:
        """Two-sided, of no difference."""

    @property
    def varies(self) -> bool:
        """Whether anything varies; without, nothing is shown."""

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""


def agreeing(low: float, high: float, difference: float, rejected: bool) -> Interval:
    """Return an interval that holds zero if zero is not rejected, and does not if it is, whatever rounding says.

    Examples
    --------
    >>> agreeing(1e-18, 0.2, 0.1, rejected=False)
    Interval(low=0.0, high=0.2)
    """
    if not rejected:
        return Interval(min(low, 0.0), max(high, 0.0))
    return Interval(max(low, _LEAST), high) if difference > 0 else Interval(low, min(high, -_LEAST))


@dataclass(frozen=True)
class Student:
    """A difference with a standard error: p(δ) = 2 P[t ≤ −|d − δ|/se].

    Attributes
    ----------
    difference, error
        What was found, and its standard error.
    freedom
        Degrees of freedom; None for the normal distribution. Below 1 nothing is known.
    limits
        What a difference can be at all; None for no limits.
    units
        How many independent units did not vary, where the error is 0: the interval is then widened by 1 − (α/2)^(1/units), which
        is what so many trials without an event allow, and reaches zero.
    inner
        The standard error if the difference is in truth nearer to zero, or beyond it; None where it is the same.

    Examples
    --------
    >>> curve = Student(0.1, 0.04, None)
    >>> round(curve.p_value, 4), [round(end, 4) for end in curve.interval(0.05)]
    (0.0124, [0.0216, 0.1784])
    >>> [round(end, 4) for end in Student(0.0, 0.0, 9.0, units=40).interval(0.05)]
    [-0.0881, 0.0881]
    """

    difference: float
    error: float
    freedom: float | None
    limits: tuple[float, float] | None = (-1.0, 1.0)
    units: float | None = None
    inner: float | None = None

    @property
    def varies(self) -> bool:
        """Whether the error is above 0."""
        return self.error > 0

    @property
    def _known(self) -> bool:
        return self.freedom is None or self.freedom >= 1

    @property
    def p_value(self) -> float:
        """Two-sided, of no difference; 1 where nothing is known."""
        if not (self.varies and self._known):
            return 1.0
        return two_sided(abs(self.difference) / (self.inner or self.error), self.freedom)

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        low, high = self.limits or (-inf, inf)
        if not self._known:
            return Interval(low, high)
        outer = quantile(alpha, self.freedom) * self.error if self.varies else unseen(alpha, self.units)
        inner = outer if not self.inner else quantile(alpha, self.freedom) * self.inner
        below, above = (inner, outer) if self.difference > 0 else (outer, inner)
        ends = max(low, self.difference - below), min(high, self.difference + above)
        return agreeing(*ends, self.difference, self.p_value <= alpha)


@dataclass(frozen=True)
class Unanimous:
    """A difference of rates that every one of so many independent units shows: p(δ) = 2 ((1 + δ)/(1 + d))^units for δ < d.

    What a unit shows lies between −1 and 1. If its mean is δ it is d or more with a chance of at most (1 + δ)/(1 + d) (Markov),
    and d or less of at most (1 − δ)/(1 − d). So a difference of 1 in all units has the p-value of the sign test. Without a
    difference nothing varies and nothing is shown, and the interval is what so many units without an event allow.

    Attributes
    ----------
    difference, units
        What every unit shows, and how many there are.

    Examples
    --------
    >>> Unanimous(1.0, 10).p_value == 2 * 0.5**10, [round(end, 4) for end in Unanimous(1.0, 10).interval(0.05)]
    (True, [0.383, 1.0])
    >>> Unanimous(0.0, 40).p_value, [round(end, 4) for end in Unanimous(0.0, 40).interval(0.05)]
    (1.0, [-0.0881, 0.0881])
    """

    difference: float
    units: float

    @property
    def varies(self) -> bool:
        """Whether there is a difference that all of them show."""
        return self.difference != 0

    @property
    def p_value(self) -> float:
        """Two-sided, of no difference."""
        return min(1.0, float(2 * (1 + abs(self.difference)) ** -max(self.units, 1.0)))

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        left = 1 - unseen(alpha, self.units)
        low, high = (1 + self.difference) * left - 1, 1 - (1 - self.difference) * left
        return agreeing(low, high, self.difference, self.p_value <= alpha)


@dataclass(frozen=True, eq=False)
class Percentiles:
    """A difference with drawings of it, and a test of none that draws nothing of the kind.

    p(δ) = 2(1 + the fewer of the drawings up to δ and from δ on)/(B + 1), so that intervals are percentiles (Efron 1979); between
    zero and what was found it is at least the test's p-value. So neither may say more than the other allows. Drawings of rates
    that do not vary have the interval of `Student` for as many `units`.

    Examples
    --------
    >>> curve = Percentiles(3.0, np.arange(1.0, 6.0).repeat(40), tested=0.2)
    >>> curve.p_value, curve.interval(0.05), Percentiles(3.0, curve.draws, 0.01).interval(0.05)
    (0.2, Interval(low=0.0, high=5.0), Interval(low=1.0, high=5.0))
    """

    difference: float
    draws: Floats
    tested: float
    units: float | None = None

    @property
    def varies(self) -> bool:
        """Whether the drawings differ by more than rounding."""
        return Interval(float(self.draws.min()), float(self.draws.max())).has_width

    @property
    def p_value(self) -> float:
        """Two-sided, of no difference; 1 where drawings do not vary."""
        if not self.varies or self.difference == 0:
            return 1.0
        across = int(np.count_nonzero(self.draws * np.sign(self.difference) <= 0))
        return min(1.0, max(self.tested, 2 * (1 + across) / (1 + len(self.draws))))

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        if not self.varies:
            limits = None if self.units is None else (-1.0, 1.0)
            return Student(self.difference, 0.0, None, limits, self.units).interval(alpha)
        place = int(np.floor(alpha * (1 + len(self.draws)) / 2 + 1e-9))
        ordered = np.sort(self.draws)
        low, high = (float(ordered[min(max(place, 1), len(ordered)) - 1]), float(ordered[-max(place, 1)]))
        low, high = min(low, high, self.difference), max(low, high, self.difference)
        return agreeing(low, high, self.difference, self.p_value <= alpha)


@dataclass(frozen=True, eq=False)
class Score:
    """A difference of paired rates: Tango's (1998) score interval, and a test of no difference that has the last word at zero.

    p(δ) is that of Tango's statistic, but between zero and what was found at least the test's, and from zero on away from it at
    most the test's. Where the test can be had at any δ, p(δ) is the larger of the two, so that intervals hold both where few
    people carry the difference and where few events are seen.

    Attributes
    ----------
    gained, lost, n
        Probes that only the first, and only the second recognises, of `n`; divided by a design effect they need not be whole.
    freedom
        Degrees of freedom of Student's quantile; None for the normal one.
    tested
        The test's p-value of no difference.
    at
        The test's p-value of any difference, equal to `tested` at zero; None where it is of zero alone.

    Examples
    --------
    McNemar's mid-p of 5 against 0 is 0.0625, so zero belongs to the interval, and Tango's would begin at 0.0066.

    >>> curve = Score(5, 0, 40, None, 0.0625)
    >>> curve.p_value, [round(end, 4) for end in curve.interval(0.05)]
    (0.0625, [0.0, 0.2611])
    """

    gained: float
    lost: float
    n: float
    freedom: float | None
    tested: float
    at: Callable[[float], float] | None = None

    varies = True

    @property
    def difference(self) -> float:
        """The first's rate less the second's."""
        return (self.gained - self.lost) / self.n if self.n else 0.0

    @property
    def p_value(self) -> float:
        """The test's, of no difference."""
        return self.tested

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        low, high = tango_counts(self.gained, self.lost, self.n, z=quantile(alpha, self.freedom))
        if self.at is not None:
            low = min(low, self._reached(-1.0, alpha))
            high = max(high, self._reached(1.0, alpha))
        return agreeing(low, high, self.difference, self.tested <= alpha)

    def _reached(self, end: float, alpha: float) -> float:
        """How far towards an end the test does not reject; sought on the side of zero that its p-value there tells."""
        assert self.at is not None
        kept, left = self.difference, end
        if kept * end < 0:  # zero lies on the way
            kept, left = (kept, 0.0) if self.tested <= alpha else (0.0, end)
        if left == end and self.at(end) > alpha:
            return end
        for _ in range(_HALVINGS):
            middle = (kept + left) / 2
            if self.at(middle) > alpha:
                kept = middle
            else:
                left = middle
        return kept


@dataclass(frozen=True, eq=False)
class Hybrid:
    """A difference with an interval of its own making at every level, and perhaps a test of none that has the last word at zero.

    Without such a test p(δ) is the level at which the interval ends in δ.

    Attributes
    ----------
    difference
        What was found.
    at
        The interval at 1 − α, for any α.
    tested
        The test's p-value of no difference; None where the interval says it.
    limits
        What a difference can be at all.

    Examples
    --------
    >>> curve = Hybrid(0.25, lambda alpha: Student(0.25, 0.1, None).interval(alpha))
    >>> round(curve.p_value, 4), round(two_sided(2.5, None), 4), [round(end, 4) for end in curve.interval(0.05)]
    (0.0124, 0.0124, [0.054, 0.446])
    """

    difference: float
    at: Callable[[float], Interval]
    tested: float | None = None
    limits: tuple[float, float] = (-1.0, 1.0)

    varies = True

    @cached_property
    def p_value(self) -> float:
        """The test's, of no difference; without one, the largest α whose interval holds zero."""
        if self.tested is not None:
            return self.tested
        least, most = _LEAST_LEVEL, 1.0 - 1e-9
        if self._holds_zero(most) or self.difference == 0:
            return 1.0
        if not self._holds_zero(least):
            return least
        for _ in range(2 * _HALVINGS):
            middle = (least * most) ** 0.5
            if self._holds_zero(middle):
                least = middle
            else:
                most = middle
        return least

    def _holds_zero(self, alpha: float) -> bool:
        found = self.at(alpha)
        return found.low <= 0 <= found.high

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        found = self.at(alpha)
        low, high = max(self.limits[0], found.low), min(self.limits[1], found.high)
        return agreeing(low, high, self.difference, self.p_value <= alpha)


def unseen(alpha: float, units: float | None) -> float:
    """Return how often what none of so many independent units shows may yet be: 1 − (α/2)^(1/units), 0 where that is not known.

    Examples
    --------
    >>> round(unseen(0.05, 100), 4), unseen(0.05, None)
    (0.0362, 0.0)
    """
    return 0.0 if units is None else float(-np.expm1(np.log(alpha / 2) / max(units, 1.0)))


def two_sided(z: float, freedom: float | None) -> float:
    """Return the chance of a statistic at least as far from 0: normal, or Student's with degrees of freedom.

    Examples
    --------
    >>> round(two_sided(1.96, None), 4), round(two_sided(2.7764, 4), 4)
    (0.05, 0.05)
    """
    from scipy.special import ndtr, stdtr

    return min(1.0, float(2 * (ndtr(-z) if freedom is None else stdtr(freedom, -z))))


def quantile(alpha: float, freedom: float | None) -> float:
    """Return how far from 0 a statistic is with the chance `alpha`: the inverse of `two_sided`.

    Examples
    --------
    >>> round(quantile(0.05, None), 4), round(quantile(0.05, 4), 4), quantile(0.05, 0)
    (1.96, 2.7764, inf)
    """
    from scipy.special import ndtri, stdtrit

    if freedom is not None and freedom < 1:
        return inf
    return -float(ndtri(alpha / 2) if freedom is None else stdtrit(freedom, alpha / 2))
