"""The mean difference over data sets, and what another data set may show: random effects."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from proband.distributions import chi_square_tail, t_cdf, t_inverse
from proband.inference.datasets.results import PooledDifference
from proband.results.about import RestsOn
from proband.results.difference import Difference
from proband.results.test import Test
from proband.words import Method

Floats = npt.NDArray[np.float64]
_METHOD = Method("random-effects", "random effects (Paule and Mandel, Hartung and Knapp)")
_COCHRAN = Method("cochran-heterogeneity", "Cochran's Q of data sets")


def random_effects(
    differences: npt.ArrayLike,
    standard_errors: npt.ArrayLike,
    confidence_level: float = 0.95,
    first: str = "first",
    second: str = "second",
) -> PooledDifference:
    """Estimate the mean difference over data sets of which these are a sample, and predict that of another.

    dᵢ = μ + uᵢ + eᵢ: data sets vary by τ², and each difference is uncertain by its own standard error, because its people are a sample.

    Notes
    -----
    τ² by Paule and Mandel (1982): the value at which Σ wᵢ(dᵢ − μ̂)² = N − 1 with wᵢ = 1/(sᵢ² + τ²), or 0 where even that is less. μ̂ is the mean by these
    weights, with the standard error √(max(1, q)/Σwᵢ), q = Σ wᵢ(dᵢ − μ̂)²/(N − 1), on N − 1 degrees of freedom: Hartung and Knapp (2001), never narrower
    than without them (Röver et al. 2015). The difference in another data set lies within μ̂ ± t(N − 2)·√(τ² + se²) (Higgins et al. 2009), which
    needs three data sets.
    """
    d, s = np.asarray(differences, np.float64), np.asarray(standard_errors, np.float64)
    n = len(d)
    tau2 = paule_mandel(d, s)
    weights = 1 / (s**2 + tau2)
    mean = float(weights @ d / weights.sum())
    spread = float(weights @ (d - mean) ** 2) / (n - 1)
    error = float(np.sqrt(max(1.0, spread) / weights.sum()))
    half = float(t_inverse(n - 1, (1 + confidence_level) / 2)) * error
    q = _heterogeneity(d, s, 0.0)
    ends: dict[str, Any] = {"prediction_low": None, "prediction_high": None}
    if n > 2:
        reach = float(t_inverse(n - 2, (1 + confidence_level) / 2)) * float(np.sqrt(tau2 + error**2))
        ends = {"prediction_low": mean - reach, "prediction_high": mean + reach}
    return PooledDifference(
        difference=Difference(
            first=first,
            second=second,
            value=mean,
            low=mean - half,
            high=mean + half,
            confidence_level=confidence_level,
            standard_error=error,
            degrees_of_freedom=n - 1,
            p_value=float(2 * t_cdf(n - 1, -abs(mean) / error)),
            method=_METHOD,
            rests_on=RestsOn(n=n, of="data set"),
            adjustment="none",
        ),
        tau=float(np.sqrt(tau2)),
        heterogeneity=Test(
            statistic=q, degrees_of_freedom=n - 1, p_value=float(chi_square_tail(n - 1, q)), method=_COCHRAN
        ),
        i_squared=max(0.0, 1 - (n - 1) / q) if q > 0 else 0.0,
        **ends,
    )


def _heterogeneity(d: Floats, s: Floats, tau2: float) -> float:
    weights = 1 / (s**2 + tau2)
    return float(weights @ (d - weights @ d / weights.sum()) ** 2)


def paule_mandel(differences: Floats, standard_errors: Floats) -> float:
    """The variance between data sets at which their differences vary as much as they should (Paule & Mandel 1982)."""
    wanted = len(differences) - 1
    if _heterogeneity(differences, standard_errors, 0.0) <= wanted:
        return 0.0
    low, high = 0.0, float(np.ptp(differences)) ** 2
    while _heterogeneity(differences, standard_errors, high) > wanted:
        low, high = high, 2 * high
    for _ in range(200):  # it falls with τ², so that halving finds the place to the last digit
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _heterogeneity(differences, standard_errors, middle) > wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2
