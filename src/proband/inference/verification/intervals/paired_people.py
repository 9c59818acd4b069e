"""Two algorithms on the same compared pairs: the test of a difference to which people add, whatever the measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt

from proband.inference.comparisons.testing.curves import PValueCurve, Student
from proband.inference.verification.people.carriers import FEWEST
from proband.results.about import NOBODY, RestsOn, Who
from proband.results.difference import Difference, Verdict
from proband.words import Method

Floats = npt.NDArray[np.float64]

_DRAWS = 2_000
_TOGETHER = 200  # draws whose multipliers are held at once
_PEOPLE_KEPT = 2_000  # of whom 32 MB of multipliers are kept
_ROUNDING = 1e-12
AGAINST_SKEWNESS = (
    "with Student's t, also after Hall's transformation if a few people differ strongly in the opposite "
    "direction"
)
"""What the account of a difference to which people add says of its curve."""


@dataclass(frozen=True, eq=False)
class Apart:
    """A difference of two algorithms' measures of the same comparisons.

    Attributes
    ----------
    value, standard_error, degrees_of_freedom
        The difference, its standard error, and the degrees of freedom of Student's t; None for the normal distribution.
    units
        How many independent units show the same where nothing varies.
    totals
        What each person adds to the difference; none where people are not known.
    inner, outer
        The standard error if the difference is in truth nearer to zero, and if it is farther from it; None where it is the same.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float | None
    units: float
    totals: Floats
    inner: float | None = None
    outer: float | None = None

    @classmethod
    def over_people(
        cls,
        value: float,
        totals: Floats,
        genuine: Floats,
        own: npt.NDArray[np.integer],
        of_pairs: float = 0.0,
        least: float = 0.0,
    ) -> Apart:
        """Make the variance of a difference of what people add to it.

        With e_i what person i adds, h_i the person's share of genuine comparisons, and e_ij what two people add by being compared
        with each other, which is in both of theirs: V = S/(S − 1) Σ ((1 − 1/S) e_i/(1 − h_i))² − Σ e_ij² with S people, and at
        least what independent comparisons have. A person with a large share pulls the rate towards itself, hence 1 − h_i. Student's
        t has one degree of freedom fewer than people weigh evenly. Where few people carry the variance it is not taken for less
        than known: they are in the statistic's denominator too, which makes it smaller than the normal distribution has it.

        Parameters
        ----------
        genuine, own
            What each genuine comparison adds, and whose it is.
        of_pairs, least
            Σ e_ij², or none to leave it in, and what the variance is not below.
        """
        n = len(totals)
        shares = np.bincount(own, minlength=n) / max(len(own), 1)
        scaled = totals * (1 - 1 / n) / np.maximum(1 - shares, 1 / n)
        independent = float(genuine @ genuine) + of_pairs
        variance = max(float(scaled @ scaled) * n / max(n - 1, 1) - of_pairs, independent, least)
        even = even_people(shares)
        return cls(value, sqrt(variance), even - 1 if n >= FEWEST else 0.0, even, scaled)

    @classmethod
    def in_draws(cls, value: float, draws: Floats, shares: Floats, least: float = 0.0) -> Apart:
        """Make the variance of a difference of drawings of people, which vary too little by (S − 1)/S with S even people."""
        even = even_people(shares)
        variance = float(draws.var()) * even / max(even - 1, 1.0) if len(draws) else 0.0
        return cls(value, sqrt(max(variance, least)), even - 1, even, np.zeros(0))

    def times(self, factor: float) -> Apart:
        """The same with so many times the variance, and as many fewer independent units."""
        root = sqrt(factor)
        inner, outer = (None if one is None else one * root for one in (self.inner, self.outer))
        error = self.standard_error * root
        return replace(self, standard_error=error, units=self.units / factor, inner=inner, outer=outer)

    @property
    def curve(self) -> PValueCurve:
        """The p-value of every difference there could be.

        It is Student's, also after Hall's (1992) transformation against the skewness of what people add; where nothing varies, that of
        units which all agree.
        """
        if self.standard_error <= _ROUNDING:
            return Student(self.value if abs(self.value) > _ROUNDING else 0.0, 0.0, None, units=self.units)
        error = self.outer or self.standard_error
        inner = self.inner or self.standard_error
        return Student(
            self.value, error, self.degrees_of_freedom, inner=inner, skewness=skewness_of(self.totals)
        )

    def tested(
        self,
        confidence_level: float,
        method: Method,
        *,
        larger_is_better: bool,
        rests_on: RestsOn,
        who: Who = NOBODY,
        supported: bool = True,
    ) -> Difference:
        """Test the difference of a first algorithm from a second one by itself; the interval holds what the test does not reject."""
        low, high = self.curve.interval(1 - confidence_level)
        decided: Verdict = "better" if (low > 0) == larger_is_better else "worse"
        return Difference(
            who=who,
            first="first",
            second="second",
            value=self.value,
            low=low,
            high=high,
            confidence_level=confidence_level,
            standard_error=self.standard_error,
            degrees_of_freedom=self.degrees_of_freedom,
            p_value=self.curve.p_value,
            p_adjusted=self.curve.p_value,
            verdict="undecided" if low <= 0 <= high else decided,
            method=method,
            supported=supported,
            rests_on=rests_on,
            varies=self.standard_error > _ROUNDING,
        )


def even_people(shares: Floats) -> float:
    """Count the people who, weighing evenly, would weigh as these do: (Σ h_i)²/Σ h_i² (Kish 1965)."""
    return float(shares.sum()) ** 2 / max(float(shares @ shares), np.finfo(np.float64).tiny)


def skewness_of(totals: Floats) -> float:
    """Find the skewness of a difference of what people add to it, e_i: Σ e_i³/(Σ e_i²)^1.5."""
    squares = float(totals @ totals)
    return float((totals**3).sum()) / squares**1.5 if squares > 0 else 0.0


def multiplied(totals: Floats, seed: int) -> Floats:
    """Draw the size of a difference without one: what each person adds, times a normal multiplier that all comparisons share.

    The multiplier bootstrap of Chernozhukov et al. (2013), in 2,000 draws.
    """
    people = len(totals)
    blocks = _kept_multipliers(seed, people) if people <= _PEOPLE_KEPT else _multipliers(seed, people)
    found: Floats = np.abs(np.concatenate([block @ totals for block in blocks]))
    return found


def _multipliers(seed: int, people: int) -> Iterator[Floats]:
    rng = np.random.default_rng([seed, 1])
    return (rng.standard_normal((_TOGETHER, people)) for _ in range(_DRAWS // _TOGETHER))


@lru_cache(maxsize=1)
def _kept_multipliers(seed: int, people: int) -> tuple[Floats, ...]:
    """The multipliers, kept for the next comparison: there are k(k − 1)/2 of k algorithms."""
    return tuple(_multipliers(seed, people))
