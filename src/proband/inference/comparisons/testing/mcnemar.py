"""Two algorithms on the same probes: McNemar's test, and the difference of the two rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Annotated

import numpy as np
import numpy.typing as npt

from proband.distributions import binomial_cdf, binomial_pmf
from proband.engine.arguments import published
from proband.engine.foreign import complete_from
from proband.engine.kinds import Axes
from proband.engine.labels import aligned
from proband.engine.limits import Level
from proband.errors import UsageError
from proband.inference.proportions import Interval, normal_quantile, proportion_interval
from proband.results.about import RestsOn
from proband.results.base import Answers, Count, Rate
from proband.results.targets import ALGORITHMS_AND_GALLERY, OTHER_PROBES, PROBES_ALIKE
from proband.results.test import Test
from proband.words import Method, Sentence, Target, count, digits

MOST_PROBES = 2**31 - 1
"""The largest number for which the binomial distribution is computed exactly."""
_MOST_SECANTS = 200
_AS_NEAR = 1e-13  # of the ends of an interval
ANSWERS = Answers(
    Target("difference-of-rates", "difference of rates"), OTHER_PROBES, ALGORITHMS_AND_GALLERY, PROBES_ALIKE
)
"""What the difference of two rates means where probes are the units."""
EXACT = Method("mcnemar-exact", "McNemar, exact", "McNemar's exact test", ("mcnemar1947",))
TANGO = Method("tango", "Tango interval", "Tango's score interval of the paired difference", ("tango1998",))
BESIDE_MID_P = Sentence(
    "mcnemar.interval-and-mid-p",
    "note",
    "the interval is Tango's, which corresponds to the mid-p: it may exclude 0 where the two-sided exact p-value, "
    "which is conservative, is above {alpha:level}",
)
_PROBE = "discordant probe"


Outcome = Annotated[npt.NDArray[np.float64], Axes(1, labelled=True)]


@published
@dataclass(frozen=True)
class PairedOutcomes:
    """How often two algorithms succeed on the same probes.

    Attributes
    ----------
    ss, sf, fs, ff
        The numbers of probes on which both succeed, only the first, only the second, and neither.

    Examples
    --------
    >>> pairs = PairedOutcomes.of(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    >>> pairs, pairs.n
    (PairedOutcomes(ss=1, sf=1, fs=0, ff=1), 3)
    """

    ss: Count
    sf: Count
    fs: Count
    ff: Count

    @classmethod
    def of(cls, first: Outcome, second: Outcome) -> PairedOutcomes:
        """Count the pairs of successes (1) and failures (0) of two algorithms on the same probes.

        Parameters
        ----------
        first, second
            An outcome of 0 or 1 for each probe, in the same order.

        Returns
        -------
        PairedOutcomes
            The numbers of probes on which both, one or neither succeeded.
        """
        given = aligned({"the first": first, "the second": second})
        first, second = (complete_from(one, "outcomes") for one in given.values())
        for values in (first, second):
            if not ((values == 0.0) | (values == 1.0)).all():
                raise UsageError(
                    "McNemar's test needs whole successes and failures; fractions of a success cannot be "
                    "counted.",
                    "use pessimistic or optimistic ties.",
                )
        if first.shape != second.shape:
            raise UsageError(
                f"Outcomes of {count(len(first))} and of {count(len(second))} probes cannot be paired."
            )
        a, b = first == 1.0, second == 1.0
        return cls(int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum()))

    @property
    def n(self) -> int:
        """The number of probes."""
        return self.ss + self.sf + self.fs + self.ff


@published
@dataclass(frozen=True, kw_only=True)
class PairedTest(Test):
    """A test of two algorithms by discordant probes (McNemar), or people (sign flip).

    Attributes
    ----------
    n_sf, n_fs
        The numbers of discordant probes, or people, in favour of the first and of the second algorithm.
    p_value
        Two-sided: twice the smaller one-sided p-value, at most 1.
    p_greater, p_less
        One-sided: the probability, if neither is better, of a result at least as favourable to the first (the second).
    p_mid
        Two-sided, with half the probability of the observed result: less conservative, but not exact.
    """

    n_sf: Count
    n_fs: Count
    p_value: Rate
    p_greater: Rate
    p_less: Rate
    p_mid: Rate

    def __repr__(self) -> str:
        return (
            f"PairedTest({self.method}: n_sf={self.n_sf}, n_fs={self.n_fs}, p_value={digits(self.p_value, 6)}, "
            f"p_mid={digits(self.p_mid, 6)})"
        )


def paired_test_of(
    n_sf: int, n_fs: int, tails: tuple[float, float], observed: float, method: Method, of: str
) -> PairedTest:
    """Make a test from both tail probabilities and the probability of the `observed` result."""
    greater, less = tails
    smaller = min(greater, less)
    return PairedTest(
        n_sf=n_sf,
        n_fs=n_fs,
        p_value=min(1.0, 2 * smaller),
        p_greater=greater,
        p_less=less,
        p_mid=min(1.0, max(2 * smaller - observed, 0.0)),
        rests_on=RestsOn(n=n_sf + n_fs, of=of, events=n_sf),
        method=method,
    )


@published
def mcnemar(n_sf: Count, n_fs: Count) -> PairedTest:
    """Test whether two algorithms recognise probes equally often, by the probes on which they differ.

    If neither is better, each of the n = n_sf + n_fs discordant probes favours either algorithm with probability ½, so
    p_greater = P[X ≤ n_fs], X ~ Binomial(n, ½): exact. The two-sided p-value is twice the smaller tail, and the mid-p is this minus P[X =
    n_fs] (Fagerland et al. 2013). Probes are assumed to be independent: with several probes per person the test rejects far too
    often. Without discordant probes, every p-value is 1.

    Parameters
    ----------
    n_sf, n_fs
        The numbers of probes that only the first, and only the second, algorithm recognises.

    Returns
    -------
    McNemar
        The two-sided and one-sided exact p-values.

    References
    ----------
    .. [1] McNemar, Q. (1947). Psychometrika 12, 153-157.

    Examples
    --------
    FERET's probe sets dup II and fb, as Beveridge et al. (2001) count them in Table 4:

    >>> round(mcnemar(22, 8).p_greater, 6)
    0.008062
    >>> test = mcnemar(104, 40)
    >>> [f"{p:.5e}" for p in (test.p_greater, test.p_value, test.p_mid)]
    ['4.72745e-08', '9.45491e-08', '6.49311e-08']
    """
    n = n_sf + n_fs
    if n > MOST_PROBES:
        raise UsageError(
            f"{digits(n)} discordant probes exceed the limit of the exact test, {count(MOST_PROBES)}."
        )
    if n == 0:
        return paired_test_of(0, 0, (1.0, 1.0), 0.0, EXACT, _PROBE)
    greater, less = binomial_cdf(n_fs, n, 0.5), binomial_cdf(n_sf, n, 0.5)
    observed = float(binomial_pmf(n_sf, n, 0.5))
    return paired_test_of(n_sf, n_fs, (greater, less), observed, EXACT, _PROBE)


@published
def newcombe_interval(pairs: PairedOutcomes, confidence_level: Level = 0.95) -> Interval:
    """Compute Newcombe's interval of the paired difference of two rates: a hybrid of Wilson intervals with the correlation.

    This is method 10 of Newcombe's paper on paired data (Statistics in Medicine 1998;17:2635). With δ and ε the distances of
    the two rates to the ends of their Wilson intervals and φ their correlation, p₁ − p₂ − √(δ₁² − 2φδ₁ε₂ + ε₂²) to p₁ − p₂ +
    √(ε₁² − 2φε₁δ₂ + δ₂²). Probes are assumed to be independent.

    Parameters
    ----------
    pairs
        The counts of two algorithms on the same probes.
    confidence_level
        The level of the interval.

    Returns
    -------
    Interval
        The ends of the interval of the difference.

    Examples
    --------
    Newcombe's interval for the table (36, 12, 2, 0) is 0.0569 to 0.3404.

    >>> [round(end, 4) for end in newcombe_interval(PairedOutcomes(36, 12, 2, 0))]
    [0.0569, 0.3404]
    """
    n = pairs.n
    if n == 0:
        return Interval(-1.0, 1.0)
    a, b = pairs.ss + pairs.sf, pairs.ss + pairs.fs
    low_a, high_a = proportion_interval(a, n, "wilson", confidence_level)
    low_b, high_b = proportion_interval(b, n, "wilson", confidence_level)
    margins = a * (n - a) * b * (n - b)
    cross = float(pairs.ss * pairs.ff - pairs.sf * pairs.fs)
    if cross > 0:
        cross = max(cross - n / 2, 0.0)  # Newcombe's continuity correction
    phi = 0.0 if margins == 0 else cross / sqrt(margins)
    p, q = a / n, b / n
    below, above = p - low_a, high_a - p
    under, over = q - low_b, high_b - q
    low = p - q - sqrt(max(0.0, below**2 - 2 * phi * below * over + over**2))
    high = p - q + sqrt(max(0.0, above**2 - 2 * phi * above * under + under**2))
    return Interval(max(-1.0, low), min(1.0, high))


@published
def tango_interval(pairs: PairedOutcomes, confidence_level: Level = 0.95) -> Interval:
    """Compute Tango's score interval of the paired difference of two rates: the differences that a score test does not reject.

    Its ends solve (b − c − nδ)/√(n[2q(δ) + δ(1 − δ)]) = ±z, with b and c the discordant counts and q(δ) the most likely share
    of probes that only the second recognises. Probes are assumed to be independent.

    Parameters
    ----------
    pairs
        The counts of two algorithms on the same probes.
    confidence_level
        The level of the interval.

    Returns
    -------
    Interval
        The ends of the interval of the difference.

    References
    ----------
    .. [1] Tango, T. (1998). Statistics in Medicine 17, 891-908.

    Examples
    --------
    Without discordant probes among 44, it is ±z²/(n + z²).

    >>> [round(end, 4) for end in tango_interval(PairedOutcomes(40, 0, 0, 4))]
    [-0.0803, 0.0803]
    """
    return tango_counts(pairs.sf, pairs.fs, pairs.n, confidence_level)


def tango_counts(
    b: float, c: float, n: float, confidence_level: float = 0.95, z: float | None = None
) -> Interval:
    """Compute Tango's (1998) interval from counts that may be fractions.

    Of `n` probes, only the first algorithm recognises `b` and only the second `c`. `z` is the quantile, by default the normal
    one; an infinite one gives the whole range. Counts divided by a design effect give an interval over people.
    """
    z = normal_quantile(confidence_level) if z is None else z
    if n == 0 or not np.isfinite(z):
        return Interval(-1.0, 1.0)
    return _tango(float(b), float(c), float(n), float(z))


@lru_cache(maxsize=4096)
def _tango(b: float, c: float, n: float, z: float) -> Interval:
    """The interval for a finite quantile, cached because counts recur with many algorithms."""
    observed = (b - c) / n

    def excess(delta: float) -> float:
        """The score statistic of a difference, positive if the observed difference is larger."""
        first = 2 * n
        second = -b - c + (2 * n - b + c) * delta
        third = -c * delta * (1 - delta)
        q = (sqrt(max(0.0, second**2 - 4 * first * third)) - second) / (2 * first)
        variance = n * (2 * q + delta * (1 - delta))
        gap = b - c - n * delta
        return gap / sqrt(variance) if variance > 0 else float(np.sign(gap)) * np.inf if gap else 0.0

    edge = 1.0 - 1e-12
    low = -1.0 if excess(-edge) <= z else _falls_to(z, excess, -edge, observed)
    high = 1.0 if excess(edge) >= -z else _falls_to(-z, excess, observed, edge)
    return Interval(low, high)


def _falls_to(level: float, function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a function that decreases from `low` to `high` equals a level, by the Illinois method."""
    above, below = function(low) - level, function(high) - level
    side = 0
    for _ in range(_MOST_SECANTS):
        if high - low <= _AS_NEAR or above == 0 or below == 0:
            break
        middle = (
            (low * below - high * above) / (below - above) if np.isfinite(above - below) else (low + high) / 2
        )
        middle = min(max(middle, low + _AS_NEAR / 4), high - _AS_NEAR / 4)
        found = function(middle) - level
        if found > 0:
            low, above, below = middle, found, below / 2 if side > 0 else below
            side = 1
        else:
            high, below, above = middle, found, above / 2 if side < 0 else above
            side = -1
    return high if abs(below) <= abs(above) else low
