"""Wilcoxon's signed ranks, exact with ties and zeros, and what Friedman's test says of all algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
import numpy.typing as npt

from proband.distributions import chi_square_tail, f_tail, normal_cdf, normal_inverse
from proband.results.about import RestsOn
from proband.results.test import Test
from proband.words import Method

Floats = npt.NDArray[np.float64]

_FRIEDMAN = Method("friedman", "Friedman's chi-square")
_IMAN_DAVENPORT = Method("iman-davenport", "Iman and Davenport's F")
MOST_EXACT = 500
"""Differences up to which the distribution of signed ranks is counted out."""

_PLACES = 12  # beyond these, differences of accuracies are the noise of subtraction


@dataclass(frozen=True)
class SignedRanks:
    """What the signed ranks of differences say.

    Attributes
    ----------
    statistic
        The sum of the ranks of positive differences.
    p_value
        Two-sided.
    n, n_zeros, tied
        Differences that are not 0, those that are, and whether some are of one size.
    exact
        Whether the distribution was counted out; beyond 500 differences it is taken to be normal.
    estimate, low, high
        The median of the means of every two differences (Hodges & Lehmann 1963), and its exact interval; no ends where there are too
        few differences for the level.
    """

    statistic: float
    p_value: float
    n: int
    n_zeros: int
    tied: bool
    exact: bool
    estimate: float
    low: float | None
    high: float | None


def signed_ranks(differences: npt.ArrayLike, confidence_level: float = 0.95) -> SignedRanks:
    """Test whether differences are as likely to be of either sign, by their signed ranks (Wilcoxon 1945).

    Differences of 0 are left out, as Wilcoxon did; those of one size share their mean rank. Under the null hypothesis every sign could as well be the
    other one, and the sum of positive ranks over all 2ⁿ signs is counted out, also with ties.
    """
    given: Floats = np.asarray(np.round(np.asarray(differences, np.float64), _PLACES), np.float64)
    kept = given[given != 0]
    n = len(kept)
    sizes = np.abs(kept)
    ranks = mean_ranks(sizes)
    statistic = float(ranks[kept > 0].sum())
    exact = n <= MOST_EXACT
    p = _exact_p(ranks, statistic) if exact else _normal_p(ranks, statistic)
    walsh = np.sort(_walsh(given))
    low, high = _ends(walsh, len(given), confidence_level)
    tied = len(np.unique(sizes)) < n
    return SignedRanks(statistic, p, n, len(given) - n, tied, exact, float(np.median(walsh)), low, high)


def mean_ranks(values: npt.ArrayLike) -> Floats:
    """Rank values, the smallest first; equal ones share the mean of their ranks."""
    given = np.asarray(values, np.float64)
    _, inverse, counts = np.unique(given, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])


def _distribution(ranks: Floats) -> Floats:
    """The chance of every sum of doubled positive ranks, each sign as likely as the other."""
    doubled = np.rint(2 * ranks).astype(np.intp)
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    reach = 0
    for rank in doubled.tolist():
        chances[: reach + rank + 1] /= 2
        chances[rank : reach + rank + 1] += chances[: reach + 1].copy()
        reach += rank
    return chances


def _exact_p(ranks: Floats, statistic: float) -> float:
    if not len(ranks):
        return 1.0
    chances = _distribution(ranks)
    place = round(2 * statistic)
    return float(min(1.0, 2 * min(chances[: place + 1].sum(), chances[place:].sum())))


def _normal_p(ranks: Floats, statistic: float) -> float:
    spread = np.sqrt(float(np.sum(ranks**2)) / 4)
    distance = max(0.0, abs(statistic - float(ranks.sum()) / 2) - 0.5)
    return float(min(1.0, 2 * normal_cdf(-distance / spread)))


def _walsh(values: Floats) -> Floats:
    first, second = np.triu_indices(len(values))
    return np.asarray((values[first] + values[second]) / 2)


def _ends(walsh: Floats, n: int, confidence_level: float) -> tuple[float | None, float | None]:
    if n > MOST_EXACT:
        spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        below = int(n * (n + 1) / 4 - normal_inverse((1 + confidence_level) / 2) * spread)
    else:
        # The widest tail that holds at most half of what may be left out.
        chances = _distribution(np.arange(1, n + 1, dtype=np.float64))[::2]
        below = int(np.searchsorted(np.cumsum(chances), (1 - confidence_level) / 2))
    return (None, None) if below < 1 else (float(walsh[below - 1]), float(walsh[-below]))


def friedman(ranks: Floats) -> tuple[Test, Test] | None:
    """Test whether algorithms rank alike, by Friedman's (1937) statistic corrected for ties and Iman and Davenport's (1980) F.

    Parameters
    ----------
    ranks
        Data sets × algorithms. None for two algorithms, which signed ranks compare, and where all are tied.

    Notes
    -----
    χ² = (k − 1) Σ (R_j − N(k + 1)/2)² / (Σ r² − Nk(k + 1)²/4), F = (N − 1) χ² / (N(k − 1) − χ²) on k − 1 and (k − 1)(N − 1) degrees of freedom.
    Where all data sets rank the same, F is infinite and the p-value is that of the chance, (1/k!)^(N−1).
    """
    n, k = ranks.shape
    spread = float(np.sum(ranks**2)) - n * k * (k + 1) ** 2 / 4
    if k < 3 or n < 2 or spread <= 1e-9:
        return None
    between = float(np.sum((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2))
    chi_square = (k - 1) * between / spread
    counted = RestsOn(n=n, of="data set")
    first = Test(
        statistic=chi_square,
        degrees_of_freedom=k - 1,
        p_value=float(chi_square_tail(k - 1, chi_square)),
        rests_on=counted,
        method=_FRIEDMAN,
    )
    rest = n * (k - 1) - chi_square
    f = None if rest < 1e-9 else (n - 1) * chi_square / rest
    p = float(factorial(k)) ** (1 - n) if f is None else float(f_tail(k - 1, (k - 1) * (n - 1), f))
    second = Test(
        statistic=f,
        degrees_of_freedom=k - 1,
        denominator_degrees_of_freedom=(k - 1) * (n - 1),
        p_value=p,
        rests_on=counted,
        method=_IMAN_DAVENPORT,
    )
    return first, second
