"""Replicates of a measure, and intervals from them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from proband.designs import Reweighting
from proband.designs.base import BLOCK
from proband.designs.resampling import BootstrapInterval
from proband.distributions import normal_cdf, normal_inverse
from proband.errors import DesignError
from proband.inference.proportions import Interval
from proband.measures import OutcomeMeasure, Outcomes
from proband.measures.tallies import Floats, Tally
from proband.results.base import ROUNDING

_BY_VALUES = ("share", "quantile")  # forms whose rows of a tally are few where probes are the units


def replicate(
    measure: OutcomeMeasure, outcomes: Outcomes, counted: Tally, design: Reweighting, seed: int
) -> Floats:
    """Return the measure of each bootstrap replicate.

    With single probes as units a replicate depends only on how many probes of each *value* it draws: a rate is a binomial count
    (Beveridge et al. 2001, §6), a median a few multinomial ones. That is the same distribution as drawing probes, at a fraction
    of the work.
    """
    if (
        design.over_probes
        and design.with_replacement
        and measure.form in _BY_VALUES
        and not outcomes.fractional
    ):
        kinds, sizes = np.unique(counted.rows, axis=0, return_counts=True)
        parts = []
        for block, done in enumerate(range(0, design.n_resamples, BLOCK)):
            size = min(BLOCK, design.n_resamples - done)
            rng = np.random.default_rng([seed, block])
            draws = rng.multinomial(len(counted.rows), sizes / sizes.sum(), size=size)
            parts.append(counted.finish(draws.astype(np.float64) @ kinds))
        return np.concatenate(parts)
    return np.concatenate([counted.values(weights) for weights in design.weights(len(counted.rows), seed)])


class Weighable(Protocol):
    """What can be measured with its units weighed anew."""

    @property
    def n_units(self) -> int:
        """How many units there are."""

    def values(self, weights: npt.NDArray[np.int64]) -> Floats:
        """The measure of each replicate, given how often it draws each unit."""


def bootstrap_interval(
    counted: Weighable,
    value: float,
    replicates: Floats,
    method: BootstrapInterval,
    level: float,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> Interval:
    """Find the percentile (Efron 1979), basic (Davison & Hinkley 1997) or BCa interval (Efron 1987) of replicates.

    Percentile: the quantiles at α/2 and 1 − α/2. Basic: these mirrored about the value, 2θ − q. BCa: the quantiles at Φ(z₀ +
    (z₀ + z_α)/(1 − a(z₀ + z_α))), z₀ from the share of replicates below the value (ties half) and a from leaving out one unit
    at a time; beyond 4,000 units a is taken to be 0. What is mirrored can pass the `limits` of the measure, and is cut there.
    """
    if method != "percentile" and not np.isfinite(replicates).all():
        raise DesignError(
            f"Some replicates are infinite, so there is no {method} interval.",
            "use the percentile interval, or censor the ranks.",
        )
    if method == "bca" and counted.n_units < 2:
        raise DesignError("BCa needs at least two units, got one.", "use the percentile interval.")
    tail = (1 - level) / 2
    low, high = tail, 1 - tail
    if method == "bca":
        low, high = _bca_tails(counted, value, replicates, tail)
    with np.errstate(invalid="ignore"):
        ends = np.quantile(replicates, [low, high])
    if np.isnan(ends).any():  # interpolation between infinities
        ends = np.quantile(replicates, [low, high], method="nearest")
    if method == "basic":
        ends = np.clip(2 * value - ends[::-1], *limits)
    return Interval(float(ends[0]), float(ends[1]))


def _bca_tails(counted: Weighable, value: float, replicates: Floats, tail: float) -> tuple[float, float]:
    """Efron's correction for bias and acceleration, the latter from leaving out one unit at a time."""
    # A replicate with the same value may differ from it by rounding, as sums of thirds do.
    slack = ROUNDING * max(1.0, abs(value))
    less, at_most = (np.count_nonzero(replicates < value + sign * slack) for sign in (-1, 1))
    below: float = (less + at_most) / (2 * len(replicates))
    below = min(max(below, 0.5 / len(replicates)), 1 - 0.5 / len(replicates))
    bias = float(normal_inverse(below))
    n = counted.n_units
    left_out = (
        counted.values(np.ones((n, n), dtype=np.int64) - np.eye(n, dtype=np.int64)) if n <= 4000 else None
    )
    acceleration: float = 0.0
    if left_out is not None:
        spread = left_out.mean() - left_out
        squares = float((spread**2).sum())
        acceleration = float((spread**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0

    def corrected(p: float) -> float:
        z = bias + float(normal_inverse(p))
        return float(normal_cdf(bias + z / (1 - acceleration * z)))

    return corrected(tail), corrected(1 - tail)
