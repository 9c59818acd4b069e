"""Assumed correlation of comparisons of one person, if there are too few errors or people to estimate it."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.inference.comparisons.testing.tails import unseen
from proband.inference.moderation import OF_PAIRS, carriers_freedom, lent, moderated_variance
from proband.inference.proportions import Interval, t_quantile, wilson_interval
from proband.inference.verification.people.meetings import Meetings

Floats = npt.NDArray[np.float64]

ALIKE = 0.25  # the intraclass correlation of comparisons of one person, or of the same two people
_SHARING = 0.005  # the correlation of comparisons with one of two people in common


def worth_of_people(sizes: npt.ArrayLike, *, people_alike: bool = False) -> float:
    """Compute the effective number of comparisons, if two of one person have a correlation of 0.25.

    With n_i of n comparisons and the weight h_i of person i, it is 1/Σ h_i²(ρ + (1 − ρ)/n_i): for equally weighted comparisons,
    n/(1 + ρ(Σ n_i²/n − 1)), with the design effect of clusters (Kish 1965).

    Parameters
    ----------
    sizes
        The number of comparisons of each person; people without any are ignored.
    people_alike
        Whether people, not comparisons, are weighted equally.
    """
    n = np.asarray(sizes, dtype=np.float64)
    n = n[n > 0]
    shares = np.full(len(n), 1 / len(n)) if people_alike else n / n.sum()
    return 1 / float((shares**2 * (ALIKE + (1 - ALIKE) / n)).sum())


def effect_of_sharing(comparisons: Meetings) -> float:
    """Compute the design effect of comparisons between people, for correlations of 0.25 for the same two and 0.005 for one in common.

    With n_ij comparisons of people i and j, n_i of person i and n in all: 1 + ρ(Σ n_ij²/n − 1) + ρ₁(Σ n_i² − 2 Σ n_ij²)/n, the
    variance of a rate over dyads (Fogliato et al. 2024) relative to that of independent comparisons.
    """
    n, of_two = comparisons.n_impostor, comparisons.sum_of_squares
    of_one = float((comparisons.n_by_subject.astype(np.float64) ** 2).sum())
    return 1 + ALIKE * (of_two / n - 1) + _SHARING * (of_one - 2 * of_two) / n


class Alike(NamedTuple):
    """The observed correlation of comparisons of one person: the design effect minus one, relative to the assumed one.

    Attributes
    ----------
    times
        The ratio: 1 if the design effect equals the assumed one.
    carriers
        The number of people behind the estimate.
    """

    times: float
    carriers: float

    def effect(self, supposed: float) -> float:
        """The design effect of other comparisons, given their assumed one."""
        return 1 + self.times * (supposed - 1)

    @classmethod
    def lent(cls, lenders: Iterable[Alike | None]) -> Alike | None:
        """Combine the estimates of several for use by others, as for rates of people (`lent`); None if there are none."""
        shown = [one for one in lenders if one is not None and one.carriers > 0]
        if not shown:
            return None
        carriers = [one.carriers for one in shown]
        return cls(lent([one.times for one in shown], carriers, 1.0), max(carriers))


class Lent(NamedTuple):
    """The correlation of comparisons within people, as estimated from at least thirty errors.

    Attributes
    ----------
    matches, misses
        For false matches and for false non-matches; None if it cannot be estimated.
    """

    matches: Alike | None = None
    misses: Alike | None = None

    @classmethod
    def by(cls, lenders: Iterable[Lent]) -> Lent:
        """Combine the estimates that algorithms, or groups, lend to each other."""
        made = list(lenders)
        return cls(Alike.lent(one.matches for one in made), Alike.lent(one.misses for one in made))


NOTHING_LENT = Lent()


class Moderated(NamedTuple):
    """An interval from a moderated variance.

    Attributes
    ----------
    ends
        The interval.
    error, freedom
        The standard error, and the degrees of freedom with which it is known.
    """

    ends: Interval
    error: float
    freedom: float


def moderated_interval(
    value: float, variance: float, totals: Floats, worth: float, confidence_level: float
) -> Moderated:
    """Compute Wilson's interval with a moderated variance and Student's t, for a measure whose variance depends on few people.

    Few people may not include those who cause the variance. So the variance V, of ν = 2S/(1 − S/K) degrees of freedom
    with S of K people carrying it (`carriers_freedom`), is averaged with the assumed one, V₀ = v(1 − v)/n, as if that had
    been observed with 0.4 degrees of freedom, if V₀ is larger: (νV + 0.4 V₀)/(ν + 0.4), as variances are moderated by Smyth
    (2004). Ends are those of Wilson (1927) for v(1 − v)/V trials. If nothing varies they are those of `unseen`.

    Parameters
    ----------
    totals
        The contribution of each person to the measure.
    worth
        The assumed effective number of comparisons, n.
    """
    if value in (0.0, 1.0) or variance == 0:
        slack = unseen(1 - confidence_level, worth)
        return Moderated(Interval(max(0.0, value - slack), min(1.0, value + slack)), 0.0, 0.0)
    powers = np.array((totals**2).sum()), np.array((totals**4).sum())
    seen, most = float(carriers_freedom(*powers, len(totals))), len(totals) - 1.0
    seen = min(seen, most)
    variance = float(moderated_variance(variance, seen, value * (1 - value) / worth, OF_PAIRS))
    freedom = min(seen + OF_PAIRS, most)
    ends = wilson_interval(value, value * (1 - value) / variance, t_quantile(confidence_level, freedom))
    return Moderated(ends, sqrt(variance), freedom)
