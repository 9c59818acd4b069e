"""One computation behind a verdict: the p-value of every difference there could be.

A curve gives each hypothetical difference δ a two-sided p-value. The p-value of a comparison is its height at zero, an interval
holds the δ whose p-value is above α, and bounds of a margin are the ends of a narrower such interval. So they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Protocol

import numpy as np
import numpy.typing as npt

from proband.inference.comparisons.testing.mcnemar import tango_counts
from proband.inference.comparisons.testing.tails import (
    beyond,
    has_spread,
    quantile,
    scale_of,
    two_sided,
    unseen,
    unvaried,
)
from proband.inference.moderation import carriers_freedom
from proband.results.base import ROUNDING, Interval

Floats = npt.NDArray[np.float64]
_LEAST = 1e-3  # of a difference: where its interval begins at least if it is told from zero
_HALVINGS = 30
_LEAST_LEVEL = 1e-15
_MOST_FREEDOM = 1e6
_ALIKE = 1e-12
_FARTHEST = 4 / 3  # so many times as far an end may lie for skewness: of very small p-values it tells nothing


class PValueCurve(Protocol):
    """What is known of a difference: its p-value at zero, and the interval at any level."""

    @property
    def p_value(self) -> float:
        """Two-sided, of no difference."""

    @property
    def varies(self) -> bool:
        """Whether anything varies; without, nothing is shown."""

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""


def agreeing(low: float, high: float, difference: float, p: float, alpha: float) -> Interval:
    """Return an interval that holds zero if the p-value of zero is above `alpha`, and does not if it is not.

    Where a test rejects zero that an interval made otherwise still holds, the end is the test's own: Miettinen's (1976) test-based
    limit d(1 − z_α/z_p), the δ at which a p-value that rises from p at zero to 1 at d passes α.
    """
    if p > alpha:
        return Interval(min(low, 0.0), max(high, 0.0))
    if (low if difference > 0 else -high) > 0:
        return Interval(low, high)
    end = difference * max(1 - quantile(alpha, None) / quantile(p, None), _LEAST)
    return Interval(end, high) if difference > 0 else Interval(low, end)


@dataclass(frozen=True)
class Student:
    """A difference with a standard error: p(δ) = 2 P[t ≤ −|d − δ|/se], and that after Hall's transformation if it is larger.

    Attributes
    ----------
    difference, error
        What was found, and its standard error.
    freedom
        Degrees of freedom; None for the normal distribution. Below 1 nothing is known.
    limits
        What a difference can be at all; None for no limits.
    units
        How many independent units do not vary, where the error is 0 (`unvaried`).
    inner
        The standard error if the difference is in truth nearer to zero, or beyond it; None where it is the same.
    skewness
        Of the difference: few who differ much one way are allowed for (`Skewed`), by a third of the width of a side at most; 0 where
        people lie alike on either side.
    """

    difference: float
    error: float
    freedom: float | None
    limits: tuple[float, float] | None = (-1.0, 1.0)
    units: float | None = None
    inner: float | None = None
    skewness: float = 0.0

    @property
    def varies(self) -> bool:
        """Whether the error is above 0, or everybody differs alike, which says as much."""
        return self.error > 0 or self.p_value < 1

    @property
    def _known(self) -> bool:
        return self.freedom is None or self.freedom >= 1

    @cached_property
    def p_value(self) -> float:
        """Two-sided, of no difference; 1 where nothing is known."""
        if not self._known:
            return 1.0
        if self.error > 0:
            t = self.difference / (self.inner or self.error)
            least = max(abs(_transformed(t, self.skewness)), abs(t) / _FARTHEST)
            return two_sided(min(abs(t), least), self.freedom)
        return 1.0 if self.limits is None else unvaried(self.difference, self.units)

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        low, high = self.limits or (-inf, inf)
        if not self._known:
            return Interval(low, high)
        below = above = 0.0
        if self.error > 0:
            t, g, inner = quantile(alpha, self.freedom), self.skewness, self.inner or self.error
            errors = (inner, self.error) if self.difference > 0 else (self.error, inner)
            reached = (
                min(max(t, far), _FARTHEST * t) for far in (_untransformed(t, g), -_untransformed(-t, g))
            )
            below, above = (reach * error for reach, error in zip(reached, errors, strict=True))
        if self.error == 0 and self.limits is not None:
            share = unseen(alpha, self.units)
            below, above = share * (self.difference - low), share * (high - self.difference)
        ends = max(low, self.difference - below), min(high, self.difference + above)
        return agreeing(*ends, self.difference, self.p_value, alpha)


@dataclass(frozen=True, eq=False)
class Percentiles:
    """A difference with drawings of it, and a test of none that draws nothing of the kind.

    p(δ) = 2(1 + the fewer of the drawings up to δ and from δ on)/(B + 1), so that intervals are percentiles (Efron 1979), and
    beyond all drawings that of a normal distribution (`scale_of`); between zero and what was found it is at least the test's
    p-value. So neither may say more than the other allows.

    Attributes
    ----------
    difference, draws, tested
        What was found, drawings of it, and the test's p-value.
    units
        How many people were drawn from; None where that is not known.
    among_others
        The least and greatest difference if a share of the people were others; None for rates, which tell it by themselves. Where all
        drawings are alike the interval is that for the share which the units leave unseen (`unseen`), and p(0) the larger of the
        level at which it reaches zero and the test's.
    """

    difference: float
    draws: Floats
    tested: float
    units: float | None = None
    among_others: Callable[[float], Interval] | None = None

    @cached_property
    def _moves(self) -> bool:
        return has_spread(self.draws)

    @property
    def varies(self) -> bool:
        """Whether the drawings differ by more than rounding, or are alike because everybody differs."""
        return self._moves or self.p_value < 1

    @cached_property
    def _scale(self) -> float:
        return scale_of(np.abs(self.draws - self.draws.mean()))

    @cached_property
    def _still(self) -> PValueCurve:
        """What is known where all drawings are alike."""
        others, units = self.among_others, self.units
        if others is None:
            return Student(self.difference, 0.0, None, None if units is None else (-1.0, 1.0), units)
        return Hybrid(self.difference, lambda alpha: others(unseen(alpha, units)), limits=(-inf, inf))

    @cached_property
    def p_value(self) -> float:
        """Two-sided, of no difference."""
        if self.difference == 0:
            return 1.0
        if not self._moves:
            return max(self.tested, self._still.p_value)
        # A drawing without a difference may have one by rounding, as sums of thirds do.
        slack = ROUNDING * max(1.0, abs(self.difference))
        across = int(np.count_nonzero(self.draws * np.sign(self.difference) <= slack))
        far = abs(float(self.draws.mean())) / self._scale
        return min(1.0, max(self.tested, beyond(far, across, len(self.draws), sides=2)))

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        if not self._moves:
            return agreeing(*self._still.interval(alpha), self.difference, self.p_value, alpha)
        place = int(np.floor(alpha * (1 + len(self.draws)) / 2 + 1e-9))
        ordered = np.sort(self.draws)
        low, high = (float(ordered[min(max(place, 1), len(ordered)) - 1]), float(ordered[-max(place, 1)]))
        if place < 1:
            middle, reach = float(ordered.mean()), quantile(alpha, None) * self._scale
            low, high = min(low, middle - reach), max(high, middle + reach)
        low, high = min(low, high, self.difference), max(low, high, self.difference)
        return agreeing(low, high, self.difference, self.p_value, alpha)


@dataclass(frozen=True)
class Skewed:
    """A mean over people who need not lie alike on either side of it: Student's t after Hall's (1992) transformation.

    With t = (d − δ)/se and g = Σe³/(Σe²)^1.5 of people's residuals e, h(t) = ((1 + gt/3)³ − 1)/g + g/6 has no skewness, and
    p(δ) = 2 P[t_ν ≤ −|h|]. A sign flip takes for granted that people's differences lie symmetrically about δ.

    Attributes
    ----------
    difference, error, skewness, freedom
        d, se, g, and ν: the degrees of freedom that the people who carry the variance leave (`carriers_freedom`).
    """

    difference: float
    error: float
    skewness: float
    freedom: float

    @classmethod
    def of(cls, differences: Floats, sizes: Floats) -> Skewed | None:
        """Take people's sums of differences and their numbers of probes.

        None where nothing varies, and where all who differ do so by as much, as with one probe each: no skewness is hidden there.
        """
        people, total = len(sizes), float(sizes.sum())
        mean = float(differences.sum()) / total
        left = differences - mean * sizes
        squares, apart = float(left @ left), np.abs(differences[differences != 0])
        alike = not len(apart) or (np.ptp(apart) <= _ALIKE and np.ptp(sizes) == 0)
        if people < 2 or alike or squares <= (_ALIKE * total) ** 2:
            return None
        freedom = carriers_freedom(np.array([squares]), np.array([float((left**4).sum())]), people)
        error = sqrt(people / (people - 1) * squares) / total
        return cls(mean, error, float((left**3).sum()) / squares**1.5, float(min(freedom[0], _MOST_FREEDOM)))

    def at(self, delta: float) -> float:
        """The p-value of a difference, two-sided."""
        t = (self.difference - delta) / self.error
        return two_sided(abs(_transformed(t, self.skewness)), self.freedom)

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        g, reach = self.skewness, quantile(alpha, self.freedom)
        low, high = (self.difference - self.error * _untransformed(h, g) for h in (reach, -reach))
        return Interval(max(low, -1.0), min(high, 1.0))


def _transformed(t: float, g: float) -> float:
    """A t without its skewness (Hall 1992)."""
    return t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6


def _untransformed(h: float, g: float) -> float:
    """The t that Hall's transformation turns into h."""
    return h if abs(g) < 1e-9 else 3 / g * float(np.cbrt(1 + g * (h - g / 6)) - 1)


@dataclass(frozen=True, eq=False)
class Score:
    """A difference of paired rates: Tango's (1998) score interval, and a test of no difference that has the last word at zero.

    p(δ) is that of Tango's statistic, but between zero and what was found at least the test's, and from zero on away from it at
    most the test's. Where the test can be had at any δ, p(δ) is the larger of the two, so that intervals hold both where few
    people carry the difference and where few events are seen. With `skewed` it is the larger of that as well, so that few people
    who differ much the other way are allowed for.

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
    skewed
        What people show without the test's symmetry; None where each has one probe.
    """

    gained: float
    lost: float
    n: float
    freedom: float | None
    tested: float
    at: Callable[[float], float] | None = None
    skewed: Skewed | None = None

    varies = True

    @property
    def difference(self) -> float:
        """The first's rate less the second's."""
        return (self.gained - self.lost) / self.n if self.n else 0.0

    @cached_property
    def p_value(self) -> float:
        """The test's, of no difference; or what people show without its symmetry, if that is larger."""
        return self.tested if self.skewed is None else max(self.tested, self.skewed.at(0.0))

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        low, high = tango_counts(self.gained, self.lost, self.n, z=quantile(alpha, self.freedom))
        if self.at is not None:
            low = min(low, self._reached(-1.0, alpha))
            high = max(high, self._reached(1.0, alpha))
        if self.skewed is not None:
            ends = self.skewed.interval(alpha)
            low, high = min(low, ends.low), max(high, ends.high)
        return agreeing(low, high, self.difference, self.p_value, alpha)

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
class Widened:
    """A difference with so many times the variance that its curve knows of.

    p(δ) = P[|N| ≥ z/√factor], where P[|N| ≥ z] is the curve's own p-value of δ; so an interval at α is the curve's own at the level
    that becomes α.

    Attributes
    ----------
    curve, factor
        What is known of the difference, and how many times the variance is as large.
    """

    curve: PValueCurve
    factor: float

    @property
    def varies(self) -> bool:
        """Whether anything varies; without, nothing is shown."""
        return self.curve.varies

    @property
    def p_value(self) -> float:
        """Two-sided, of no difference."""
        return two_sided(quantile(self.curve.p_value, None) / sqrt(self.factor), None)

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        return self.curve.interval(two_sided(quantile(alpha, None) * sqrt(self.factor), None))


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
        ends = self.at(alpha)
        return ends.low <= 0 <= ends.high

    def interval(self, alpha: float) -> Interval:
        """The differences whose p-value is above `alpha`."""
        ends = self.at(alpha)
        low, high = max(self.limits[0], ends.low), min(self.limits[1], ends.high)
        return agreeing(low, high, self.difference, self.p_value, alpha)
