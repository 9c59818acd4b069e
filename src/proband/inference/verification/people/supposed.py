"""What is supposed of people where few errors, or few people, show how alike the comparisons of one person are."""

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
_SHARING = 0.005  # the correlation of comparisons that have one of two people in common


def worth_of_people(sizes: npt.ArrayLike, *, people_alike: bool = False) -> float:
    """Find how many independent comparisons those of people are worth, if two of one person correlate by 0.25.

    With n_i of n comparisons and the weight h_i of person i it is 1/Σ h_i²(ρ + (1 − ρ)/n_i): where comparisons weigh the same,
    n/(1 + ρ(Σ n_i²/n − 1)), the design effect of clusters (Kish 1965).

    Parameters
    ----------
    sizes
        How many comparisons each person has; people without one do not count.
    people_alike
        Whether people weigh the same, and not comparisons.
    """
    n = np.asarray(sizes, dtype=np.float64)
    n = n[n > 0]
    shares = np.full(len(n), 1 / len(n)) if people_alike else n / n.sum()
    return 1 / float((shares**2 * (ALIKE + (1 - ALIKE) / n)).sum())


def effect_of_sharing(comparisons: Meetings) -> float:
    """Find the design effect of comparisons between people, if those of the same two correlate by 0.25 and those that share one by 0.005.

    With n_ij comparisons of people i and j, n_i of person i and n in all: 1 + ρ(Σ n_ij²/n − 1) + ρ₁(Σ n_i² − 2 Σ n_ij²)/n, the
    variance of a rate over dyads (Fogliato et al. 2024) relative to that of independent comparisons.
    """
    n, of_two = comparisons.n_impostor, comparisons.sum_of_squares
    of_one = float((comparisons.n_by_subject.astype(np.float64) ** 2).sum())
    return 1 + ALIKE * (of_two / n - 1) + _SHARING * (of_one - 2 * of_two) / n


class Alike(NamedTuple):
    """How alike the comparisons of one person are seen to be: their design effect less one, over that of the one that is supposed.

    Attributes
    ----------
    times
        The ratio: 1 where the design effect is the one that is supposed.
    carriers
        The people who show it.
    """

    times: float
    carriers: float

    def effect(self, supposed: float) -> float:
        """The design effect of comparisons whose supposed one is known, which may be others, and of other people."""
        return 1 + self.times * (supposed - 1)

    @classmethod
    def lent(cls, lenders: Iterable[Alike | None]) -> Alike | None:
        """Find what several lend to others, as rates of people do (`lent`); None where nobody shows anything."""
        shown = [one for one in lenders if one is not None and one.carriers > 0]
        if not shown:
            return None
        carriers = [one.carriers for one in shown]
        return cls(lent([one.times for one in shown], carriers, 1.0), max(carriers))


class Lent(NamedTuple):
    """How alike comparisons of people are, as far as thirty errors show it.

    Attributes
    ----------
    matches, misses
        Of false matches and of false non-matches; None where nothing shows it.
    """

    matches: Alike | None = None
    misses: Alike | None = None

    @classmethod
    def by(cls, lenders: Iterable[Lent]) -> Lent:
        """Find what algorithms, or groups, lend to each other."""
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
    """Find the interval of a measure near 0 or 1 whose variance few people may carry: Wilson's, with a moderated variance and Student's t.

    Those who would show the variance are easily not among few people. So the variance V, of ν = 2S/(1 − S/K) degrees of freedom
    with S of K people carrying it (`carriers_freedom`), is averaged with the one that is supposed, V₀ = v(1 − v)/n, as if that had
    been seen with 0.4 degrees of freedom, where V₀ is the larger: (νV + 0.4 V₀)/(ν + 0.4), as variances are moderated by Smyth
    (2004). Ends are those of Wilson (1927) for v(1 − v)/V trials. Where nothing varies they are those of `unseen`.

    Parameters
    ----------
    totals
        What each person adds to the measure.
    worth
        How many independent comparisons those of the people are supposed to be worth, n.
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
