"""Bootstraps of verification error rates over people.

A drawing of people gives every person a weight; a comparison of two people then counts as often as the product of their weights.
Drawing a person twice makes no impostor comparison of the two copies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.engine import Engine, on_engine
from proband.errors import DesignError
from proband.inference.proportions import Interval, check_level, t_quantile, wilson_interval
from proband.inference.verification.people.drawings import (
    AtRates,
    AtThresholds,
    Drawings,
    Genuine,
    Scheme,
    Tail,
    replicates,
)
from proband.inference.verification.people.meetings import Ints, Meetings
from proband.results.estimate import Estimate

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BootstrappedRates:
    """Error rates at several thresholds, with replicates over people.

    Attributes
    ----------
    thresholds
        A comparison is accepted if it is at least as close.
    fmr, fnmr
        The rates at each threshold; without genuine comparisons there is no FNMR.
    false_matches, false_non_matches
        The errors they rest on. With fewer than 30 of them percentiles of replicates cannot be relied on.
    fmr_replicates, fnmr_replicates
        Replicates × thresholds. Drawings without a comparison are left out.
    scheme, seed
        How people were drawn.
    """

    thresholds: Floats
    fmr: Floats
    false_matches: Ints
    fmr_replicates: Floats
    fnmr: Floats | None
    false_non_matches: Ints | None
    fnmr_replicates: Floats | None
    scheme: Scheme
    seed: int

    def fmr_intervals(self, confidence_level: float = 0.95) -> list[Interval]:
        """Find recentred percentile intervals of the false match rate, one for each threshold."""
        return _intervals(self.fmr_replicates, self.fmr, confidence_level)

    def fnmr_intervals(self, confidence_level: float = 0.95) -> list[Interval]:
        """Find recentred percentile intervals of the false non-match rate, one for each threshold."""
        if self.fnmr is None or self.fnmr_replicates is None:
            raise DesignError("There are no genuine comparisons, so there is no false non-match rate.")
        return _intervals(self.fnmr_replicates, self.fnmr, confidence_level)


@on_engine
def bootstrapped_error_rates(
    tail_i: npt.ArrayLike,
    tail_j: npt.ArrayLike,
    tail_closeness: npt.ArrayLike,
    comparisons: Meetings,
    thresholds: npt.ArrayLike,
    n_resamples: int = 1_000,
    seed: int = 0,
    *,
    genuine_subjects: npt.ArrayLike = (),
    genuine_closeness: npt.ArrayLike = (),
    scheme: Scheme = "vertex",
    threads: int | None = None,
    engine: Engine = None,
) -> BootstrappedRates:
    """Draw people, and measure error rates at many thresholds.

    People vary; thresholds stay.

    Parameters
    ----------
    tail_i, tail_j, tail_closeness
        Every impostor comparison that reaches the lowest threshold: its two subjects, and how close it is.
    comparisons
        Who is compared with whom.
    genuine_subjects, genuine_closeness
        Every genuine comparison, if FNMR is wanted.
    scheme
        ``vertex``: as many people as there are, with replacement. ``double-or-nothing``: every person twice or not at all, by
        the toss of a coin.

    Notes
    -----
    FMR*(t) = Σ w_i w_j c_ij(t) / Σ w_i w_j n_ij over pairs of people, with w_i how often person i is drawn (Fogliato et al.
    2024). Where people hardly differ, the replicates vary three times as much as the rate.
    """
    tail = Tail.of(tail_i, tail_j, tail_closeness, comparisons)
    genuine = Genuine.of(genuine_subjects, genuine_closeness, comparisons)
    measure = AtThresholds.of(tail, genuine, comparisons, thresholds)
    return _rates(scheme, measure, n_resamples, seed, threads)


@on_engine
def fnmr_at_fmr_replicates(
    tail_i: npt.ArrayLike,
    tail_j: npt.ArrayLike,
    tail_closeness: npt.ArrayLike,
    genuine_subjects: npt.ArrayLike,
    genuine_closeness: npt.ArrayLike,
    comparisons: Meetings,
    fmr: float,
    n_resamples: int = 1_000,
    seed: int = 0,
    *,
    scheme: Scheme = "vertex",
    threads: int | None = None,
    engine: Engine = None,
) -> Floats:
    """Measure FNMR at a false match rate in drawings of people, with the threshold found anew in each.

    The threshold is the least strict one whose false match rate is not above `fmr`; comparisons equally close are accepted
    together or not at all. The tail must hold every impostor comparison as close as its last one, and reach well beyond the
    rate asked for (four times is plenty): thresholds move from drawing to drawing. People vary, and the threshold with them
    (Efron 1979).
    """
    tail = Tail.of(tail_i, tail_j, tail_closeness, comparisons)
    genuine = Genuine.of(genuine_subjects, genuine_closeness, comparisons)
    (found,) = AtRates.of(tail, genuine, comparisons, [fmr]).replicates(
        scheme, n_resamples, Drawings(seed), threads
    )
    return found


def recentred_interval(
    replicates: Floats,
    estimate: float,
    confidence_level: float = 0.95,
    limits: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Find percentiles of replicates, moved so that their mean is the estimate, and kept within the limits of what is estimated.

    q* − mean* + θ at α/2 and 1 − α/2: percentiles (Efron 1979) without the replicates' bias. Replicates that are all alike say
    nothing about how people differ: the interval is then everything.
    """
    tail = (1 - check_level(confidence_level)) / 2
    if not len(replicates) or replicates.min() == replicates.max():
        return Interval(*limits)
    ends = np.quantile(replicates, [tail, 1 - tail]) - replicates.mean() + estimate
    low, high = np.clip(ends, *limits)
    return Interval(float(low), float(high))


def error_anew(fixed: Estimate, replicates: Floats) -> float:
    """Return the standard error of a rate at a threshold found anew: never less than at the threshold held fixed."""
    return max(fixed.standard_error or 0.0, float(replicates.std(ddof=1)))


def interval_anew(fixed: Estimate, replicates: Floats) -> Interval:
    """Find the interval of a rate at a threshold found anew in replicates of people, of which `fixed` is the one held fixed.

    Wilson's (1927) with the larger of both variances and the degrees of freedom of the fixed one: with few errors percentiles
    of replicates hold too little. Where nothing varies at the fixed threshold its exact bound is widened to the percentiles.
    """
    level, rate = fixed.confidence_level, fixed.value
    if not fixed.standard_error:
        if replicates.min() == replicates.max():
            return Interval(fixed.low, fixed.high)
        low, high = recentred_interval(replicates, rate, level)
        return Interval(min(fixed.low, low), max(fixed.high, high))
    worth = rate * (1 - rate) / error_anew(fixed, replicates) ** 2
    return wilson_interval(rate, worth, t_quantile(level, fixed.degrees_of_freedom or 0.0))


def _rates(
    scheme: Scheme, measure: AtThresholds, n_resamples: int, seed: int, threads: int | None
) -> BootstrappedRates:
    everybody = measure(np.ones((1, measure.comparisons.n_subjects), dtype=np.int32))
    blocks = list(
        replicates(measure, scheme, measure.comparisons.n_subjects, n_resamples, Drawings(seed), threads)
    )
    fmr = np.concatenate([block.fmr for block in blocks])
    if not len(fmr):
        raise DesignError("No resample of people contains a comparison.", "use more people.")
    genuine = bool(len(measure.genuine.subjects))
    return BootstrappedRates(
        thresholds=measure.thresholds,
        fmr=everybody.fmr[0],
        false_matches=everybody.matched[0],
        fmr_replicates=fmr,
        fnmr=everybody.fnmr[0] if genuine else None,
        false_non_matches=everybody.rejected[0] if genuine else None,
        fnmr_replicates=np.concatenate([block.fnmr for block in blocks]) if genuine else None,
        scheme=scheme,
        seed=seed,
    )


def _intervals(drawn: Floats, rates: Floats, confidence_level: float) -> list[Interval]:
    return [
        recentred_interval(column, float(rate), confidence_level)
        for column, rate in zip(drawn.T, rates, strict=True)
    ]
