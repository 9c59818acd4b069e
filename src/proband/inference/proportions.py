"""Intervals and tests for one proportion and for the difference of two."""

from __future__ import annotations

from math import sqrt
from typing import Annotated, Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.distributions import beta_inverse, normal_cdf, normal_inverse, t_inverse
from proband.engine.arguments import published
from proband.engine.limits import LEVEL, SEED, Level, Within
from proband.errors import UsageError, unknown_name
from proband.results.base import Interval as Interval
from proband.words import digits

ProportionMethod = Literal["wilson", "clopper-pearson", "jeffreys"]
Successes = Annotated[float, Within(ge=0)]
Size = Annotated[float, Within(ge=0, le=1e15)]
Floats = npt.NDArray[np.float64]


def check_level(confidence_level: float) -> float:
    """Return the confidence level, or raise an error if it is invalid."""
    level: float = LEVEL.checked(confidence_level)
    return level


def check_seed(seed: int) -> int:
    """Return the seed, or raise an error if it is invalid."""
    checked: int = SEED.checked(seed)
    return checked


def normal_quantile(confidence_level: float) -> float:
    """Return the two-sided standard normal quantile Φ⁻¹(½ + level/2): 1.96 for 0.95."""
    return float(normal_inverse(0.5 + check_level(confidence_level) / 2))


def t_quantile(confidence_level: float, degrees_of_freedom: float) -> float:
    """Return the two-sided quantile of Student's t (1908); infinite without degrees of freedom."""
    if degrees_of_freedom < 1:
        return float("inf")
    return float(t_inverse(degrees_of_freedom, 0.5 + check_level(confidence_level) / 2))


def t_quantiles(confidence_level: float, freedom: Floats) -> Floats:
    """Return two-sided quantiles of Student's t (1908), infinite below one degree of freedom."""
    known = np.where(freedom < 1, 1.0, np.minimum(freedom, 1e12))
    found: Floats = np.where(freedom < 1, np.inf, t_inverse(known, 0.5 + confidence_level / 2))
    return found


@published
def proportion_interval(
    successes: Successes, n: Size, method: ProportionMethod = "wilson", confidence_level: Level = 0.95
) -> Interval:
    """Compute the interval of a proportion of independent trials.

    Each trial is a success with the same probability p.

    Parameters
    ----------
    successes, n
        The numbers of successes and trials, which may be fractions (effective sizes); without trials the interval is the whole
        range.
    method
        ``wilson``: the score interval (Wilson 1927). ``clopper-pearson``: quantiles of Beta(y, n − y + 1) and Beta(y + 1, n −
        y), with at least the nominal coverage (Clopper & Pearson 1934). ``jeffreys``: quantiles of Beta(y + ½, n − y + ½),
        equal-tailed, with ends at 0 and 1 if there are no successes or no failures (Brown et al. 2001).
    confidence_level
        The level of the interval.

    Returns
    -------
    Interval
        The interval of the proportion.

    Examples
    --------
    In Newcombe's paper on one proportion (Statistics in Medicine 1998;17:857), Wilson's interval for 81 of 263 is 0.2553 to 0.3662;
    Clopper and Pearson's upper end for 0 of 20 is 1 − 0.025^(1/20).

    >>> proportion_interval(673, 697)
    Interval(low=0.949276..., high=0.976753...)
    >>> [round(end, 4) for end in proportion_interval(81, 263)]
    [0.2553, 0.3662]
    >>> [round(end, 4) for end in proportion_interval(0, 20, "clopper-pearson")]
    [0.0, 0.1684]
    """
    if method not in get_args(ProportionMethod):
        raise unknown_name("interval", method, get_args(ProportionMethod))
    if not 0 <= successes <= n:
        raise UsageError(
            f"{digits(successes, 6)} successes of {digits(n, 6)} trials is not a valid proportion."
        )
    if n == 0:
        return Interval(0.0, 1.0)
    if method == "wilson":
        return wilson_interval(successes / n, n, normal_quantile(confidence_level))
    tail = (1.0 - confidence_level) / 2
    half = 0.5 if method == "jeffreys" else 0.0
    one = 1.0 - half
    failures = n - successes
    low = 0.0 if successes == 0 else float(beta_inverse(successes + half, failures + one, tail))
    high = 1.0 if failures == 0 else float(beta_inverse(successes + one, failures + half, 1.0 - tail))
    return Interval(low, high)


def wilson_interval(rate: float, n: float, z: float) -> Interval:
    """Compute Wilson's (1927) interval of a rate of `n` trials with quantile `z`; the whole range if it is infinite.

    Its ends are the p with (p̂ − p)² = z² p(1 − p)/n: [p̂ + z²/2n ± z √(p̂(1 − p̂)/n + z²/4n²)] / (1 + z²/n).
    """
    low, high = wilson_ends(np.array([rate]), np.array([n]), z)
    return Interval(float(low[0]), float(high[0]))


def wilson_ends(rates: Floats, n: Floats, z: float | Floats) -> tuple[Floats, Floats]:
    """Compute Wilson's (1927) intervals of many rates, with separate numbers of trials and, optionally, quantiles."""
    known = np.isfinite(z)
    z = np.where(known, z, 0.0)
    centre = rates + z * z / (2 * n)
    spread = z * np.sqrt(rates * (1 - rates) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # The ends are exactly 0 and 1 without successes or without failures, regardless of rounding.
    low: Floats = np.where((rates == 0) | ~known, 0.0, np.maximum(0.0, (centre - spread) / scale))
    high: Floats = np.where((rates == 1) | ~known, 1.0, np.minimum(1.0, (centre + spread) / scale))
    return low, high


@published
def difference_of_independent(
    successes_a: Successes, n_a: Size, successes_b: Successes, n_b: Size, confidence_level: Level = 0.95
) -> tuple[Interval, float]:
    """Compute the interval of the difference of two independent rates, and the p-value of the score test.

    Trials of both sets are independent. The interval is Newcombe's (1998) hybrid of two Wilson intervals, p₁ − p₂ − √[(p₁ −
    l₁)² + (u₂ − p₂)²] to p₁ − p₂ + √[(u₁ − p₁)² + (p₂ − l₂)²]; the test is two-sided, with the pooled variance.

    Parameters
    ----------
    successes_a, n_a, successes_b, n_b
        The numbers of successes and trials in each set.
    confidence_level
        The level of the interval.

    Returns
    -------
    Interval
        The interval of the first rate minus the second.

    Examples
    --------
    Newcombe's interval for 56 of 70 against 48 of 80 is 0.0524 to 0.3339.

    >>> interval, p_value = difference_of_independent(56, 70, 48, 80)
    >>> [round(end, 4) for end in interval], round(p_value, 4)
    ([0.0524, 0.3339], 0.008)
    """
    low_a, high_a = proportion_interval(successes_a, n_a, "wilson", confidence_level)
    low_b, high_b = proportion_interval(successes_b, n_b, "wilson", confidence_level)
    if n_a == 0 or n_b == 0:
        return Interval(-1.0, 1.0), 1.0
    a, b = successes_a / n_a, successes_b / n_b
    interval = Interval(
        a - b - sqrt((a - low_a) ** 2 + (high_b - b) ** 2), a - b + sqrt((high_a - a) ** 2 + (b - low_b) ** 2)
    )
    pooled = (successes_a + successes_b) / (n_a + n_b)
    variance = pooled * (1 - pooled) * (1 / n_a + 1 / n_b)
    p_value = 1.0 if variance == 0 else float(2 * normal_cdf(-abs(a - b) / np.sqrt(variance)))
    return interval, min(1.0, p_value)
