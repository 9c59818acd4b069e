"""Replicates of a measure, and intervals from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from proband.designs import Bootstrap
from proband.designs.designs import BLOCK, BootstrapInterval
from proband.errors import DesignError, UsageError
from proband.inference.estimates.tallies import Floats, Tally, tally
from proband.inference.proportions import Interval
from proband.measures import MedianCensoredRank, MedianRelativeRank, Outcomes, RecognitionRate
from proband.words import Target


@dataclass(frozen=True, eq=False)
class RankStatistic:
    """A user's own statistic of the ranks, like ``numpy.mean``: it takes an array of ranks and returns a number.

    Ranks of failures are infinite. `larger_is_better` matters to comparisons only. A `weighted` function takes ranks and
    weights, which some designs need.
    """

    key: ClassVar[str] = "rank-statistic"
    function: Callable[..., float]
    name: str = "statistic of the ranks"
    larger_is_better: bool = False
    weighted: bool = False

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return Target(self.key, self.name)


@tally.register
def _(measure: RankStatistic, outcomes: Outcomes, units: npt.NDArray[np.intp]) -> Tally:
    """Any function: sums are the numbers of draws themselves, and each replicate is made and measured."""
    ranks = outcomes.ranks

    def finish(weights: Floats) -> Floats:
        found = np.empty(len(weights))
        for place, draws in enumerate(weights):
            if measure.weighted:
                value = measure.function(ranks, draws[units])
            else:
                value = measure.function(np.repeat(ranks, draws[units].astype(np.intp)))
            if np.ndim(value) != 0:
                raise UsageError(f"{measure.name} must give one number, not {np.shape(value)}.")
            found[place] = value
        return found

    return Tally(np.eye(int(units.max()) + 1), finish)


def replicate(measure: Any, outcomes: Outcomes, counted: Tally, design: Bootstrap, seed: int) -> Floats:
    """The measure of each bootstrap replicate.

    With single probes as units a replicate depends only on how many probes of each *value* it draws: a rate is a binomial
    count, a median a few multinomial ones. That is the same distribution as drawing probes, at a fraction of the work.
    """
    if (
        design.unit == "probe"
        and isinstance(measure, RecognitionRate | MedianCensoredRank | MedianRelativeRank)
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


def bootstrap_interval(
    counted: Tally, value: float, replicates: Floats, method: BootstrapInterval, level: float
) -> Interval:
    """Percentile, basic or BCa interval of replicates."""
    if method != "percentile" and not np.isfinite(replicates).all():
        raise DesignError(
            f"Some replicates are infinite, so there is no {method} interval.",
            "use percentiles, or censor the ranks.",
        )
    if method == "bca" and len(counted.rows) < 2:
        raise DesignError("BCa leaves out one unit at a time, and there is only one.", "use percentiles.")
    tail = (1 - level) / 2
    low, high = tail, 1 - tail
    if method == "bca":
        low, high = _bca_tails(counted, value, replicates, tail)
    with np.errstate(invalid="ignore"):
        ends = np.quantile(replicates, [low, high])
    if np.isnan(ends).any():  # interpolation between infinities
        ends = np.quantile(replicates, [low, high], method="nearest")
    if method == "basic":
        return Interval(float(2 * value - ends[1]), float(2 * value - ends[0]))
    return Interval(float(ends[0]), float(ends[1]))


def _bca_tails(counted: Tally, value: float, replicates: Floats, tail: float) -> tuple[float, float]:
    """Efron's correction for bias and acceleration, the latter from leaving out one unit at a time."""
    from scipy.special import ndtr, ndtri

    below: float = (np.count_nonzero(replicates < value) + 0.5 * np.count_nonzero(replicates == value)) / len(
        replicates
    )
    below = min(max(below, 0.5 / len(replicates)), 1 - 0.5 / len(replicates))
    bias = float(ndtri(below))
    n = len(counted.rows)
    left_out = (
        counted.values(np.ones((n, n), dtype=np.int64) - np.eye(n, dtype=np.int64)) if n <= 4000 else None
    )
    acceleration: float = 0.0
    if left_out is not None:
        spread = left_out.mean() - left_out
        squares = float((spread**2).sum())
        acceleration = float((spread**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0

    def corrected(p: float) -> float:
        z = bias + float(ndtri(p))
        return float(ndtr(bias + z / (1 - acceleration * z)))

    return corrected(tail), corrected(1 - tail)
