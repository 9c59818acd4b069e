"""Intervals and tests for one proportion and for the difference of two."""

from __future__ import annotations

from math import sqrt
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.results.base import Interval as Interval
from proband.words import digits

ProportionMethod = Literal["wilson", "clopper-pearson", "jeffreys"]
Floats = npt.NDArray[np.float64]


def check_level(confidence_level: float) -> float:
    """Return the level if it is one."""
    if not 1e-6 <= confidence_level <= 1 - 1e-9:
        raise UsageError(
            f"A confidence level lies well between 0 and 1, got {confidence_level!r}.", "write 0.95 for 95 %."
        )
    return confidence_level


def check_seed(seed: int) -> int:
    """Return the seed if it is one."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError(f"A seed is a whole number of at least 0, got {seed!r}.")
    return int(seed)


def normal_quantile(confidence_level: float) -> float:
    """The two-sided standard normal quantile: 1.96 for 0.95."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + check_level(confidence_level) / 2))


def t_quantile(confidence_level: float, degrees_of_freedom: float) -> float:
    """The two-sided quantile of Student's t; infinite without a degree of freedom."""
    from scipy.special import stdtrit

    if degrees_of_freedom < 1:
        return float("inf")
    return float(stdtrit(degrees_of_freedom, 0.5 + check_level(confidence_level) / 2))


def proportion_interval(
    successes: float, n: float, method: ProportionMethod = "wilson", confidence_level: float = 0.95
) -> Interval:
    """Interval of a proportion of independent trials.

    Parameters
    ----------
    successes, n
        How many of how many. An effective number of trials need not be whole; no trials give the whole range.
    method
        ``wilson`` (score interval), ``clopper-pearson`` (never covers less than it claims), ``jeffreys`` (equal-tailed, with
        the ends at 0 and 1 where there are no successes or no failures).

    Examples
    --------
    >>> proportion_interval(673, 697)
    Interval(low=0.949276..., high=0.976753...)
    """
    if method not in get_args(ProportionMethod):
        raise UsageError(
            f"There is no interval {method!r}.", f"there are: {', '.join(get_args(ProportionMethod))}."
        )
    if not 0 <= successes <= n:
        raise UsageError(f"{digits(successes, 6)} successes of {digits(n, 6)} trials is no proportion.")
    check_level(confidence_level)
    if n == 0:
        return Interval(0.0, 1.0)
    if method == "wilson":
        return wilson_interval(successes / n, n, normal_quantile(confidence_level))
    from scipy.special import betaincinv

    tail = (1.0 - confidence_level) / 2
    half = 0.5 if method == "jeffreys" else 0.0
    one = 1.0 - half
    failures = n - successes
    low = 0.0 if successes == 0 else float(betaincinv(successes + half, failures + one, tail))
    high = 1.0 if failures == 0 else float(betaincinv(successes + one, failures + half, 1.0 - tail))
    return Interval(low, high)


def wilson_interval(rate: float, n: float, z: float) -> Interval:
    """Wilson's interval of a rate of `n` trials, with `z` the quantile to use; the whole range for an infinite one."""
    low, high = wilson_ends(np.array([rate]), np.array([n]), z)
    return Interval(float(low[0]), float(high[0]))


def wilson_ends(rates: Floats, n: Floats, z: float) -> tuple[Floats, Floats]:
    """Wilson's intervals of many rates at once, each of its own number of trials."""
    if not np.isfinite(z):
        return np.zeros_like(rates), np.ones_like(rates)
    centre = rates + z * z / (2 * n)
    spread = z * np.sqrt(rates * (1 - rates) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # The ends are exactly 0 and 1 where there are no successes or no failures; rounding must not hide that.
    low: Floats = np.where(rates == 0, 0.0, np.maximum(0.0, (centre - spread) / scale))
    high: Floats = np.where(rates == 1, 1.0, np.minimum(1.0, (centre + spread) / scale))
    return low, high


def difference_of_independent(
    successes_a: int, n_a: int, successes_b: int, n_b: int, confidence_level: float = 0.95
) -> tuple[Interval, float]:
    """Two independent data sets: interval of the difference of their rates, and the p-value of the score test.

    The interval is Newcombe's hybrid of two Wilson intervals; the test is two-sided, with the pooled variance.
    """
    from scipy.special import ndtr

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
    p_value = 1.0 if variance == 0 else float(2 * ndtr(-abs(a - b) / np.sqrt(variance)))
    return interval, min(1.0, p_value)
