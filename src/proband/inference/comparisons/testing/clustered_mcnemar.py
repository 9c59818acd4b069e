"""McNemar's test where people have several probes: the chi-square forms of the literature."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from proband.designs.resampling import ClusteredMcNemar, ClusteredMethod
from proband.distributions import chi_square_tail
from proband.errors import DesignError, UsageError
from proband.results.about import RestsOn
from proband.results.test import Test

Floats = npt.NDArray[np.float64]


def clustered_mcnemar(
    differences: npt.NDArray[np.number[Any]],
    sizes: npt.NDArray[np.number[Any]],
    method: ClusteredMethod = "obuchowski",
) -> Test:
    """Test whether two algorithms recognise equally well, where people have several probes.

    Both statistics take people for independent and assume nothing about the probes of one person. They lean on the number of
    people being large; with few people for whom the algorithms differ, trust `sign_flip`, which is exact.

    Parameters
    ----------
    differences
        For each person, the successes of A less those of B. People without a difference belong in it too.
    sizes
        For each person, the number of probes.
    method
        ``obuchowski`` weighs every probe alike, so it tests the difference of the two rates; ``durkalski`` weighs every person
        alike. With as many probes for each person, Obuchowski's statistic is (K − 1)/K times Durkalski's.

    Notes
    -----
    With d_i the difference, n_i the number of probes of person i, and K people,

    - Obuchowski (1998): X² = (Σ d_i)² / [K/(K − 1) Σ d_i²]. She compares the two rates by the variance of ratio estimators with
      the pooled rate in place of either, and the pooled rate cancels; K counts everybody, with a difference or without.
    - Durkalski et al. (2003): X² = (Σ d_i/n_i)² / Σ (d_i/n_i)². With one probe for each person it is McNemar's chi-square
      (without a continuity correction).

    Without any difference the statistic is 0 and the p-value 1. One person tells nothing about other people: that is refused.

    References
    ----------
    .. [1] Obuchowski NA. On the comparison of correlated proportions for clustered data. Statistics in Medicine 1998;17:1495-1507.
    .. [2] Durkalski VL, Palesch YY, Lipsitz SR, Rust PF. Analysis of clustered matched-pair data. Statistics in Medicine
       2003;22:2417-2428.
    """
    gaps, counts = _checked(differences, sizes, method)
    k = len(gaps)
    discordant = int(np.count_nonzero(gaps))
    statistic = 0.0
    if discordant:
        units = gaps if method == "obuchowski" else gaps / counts
        statistic = float(units.sum()) ** 2 / float(units @ units)
        if method == "obuchowski":
            statistic *= (k - 1) / k
    return Test(
        statistic=statistic,
        degrees_of_freedom=1.0,
        p_value=float(chi_square_tail(1, statistic)) if discordant else 1.0,
        rests_on=RestsOn(n=k, of="person", events=discordant, n_units=k, unit="person"),
        method=ClusteredMcNemar(method).as_method,
    )


def _checked(
    differences: npt.NDArray[np.number[Any]], sizes: npt.NDArray[np.number[Any]], method: str
) -> tuple[Floats, Floats]:
    if method not in get_args(ClusteredMethod):
        raise UsageError(
            f"Unknown clustered McNemar test {method!r}.",
            f"use one of: {', '.join(get_args(ClusteredMethod))}.",
        )
    gaps, counts = np.asarray(differences, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    if gaps.ndim != 1 or gaps.shape != counts.shape:
        raise UsageError(
            f"Each person needs one difference and one number of probes; got shapes {gaps.shape} and "
            f"{counts.shape}."
        )
    if not (np.isfinite(gaps).all() and np.isfinite(counts).all() and (counts >= 1).all()):
        raise UsageError("Differences must be finite numbers, and each person needs at least one probe.")
    if (np.abs(gaps) > counts).any():
        raise UsageError("A person's difference cannot exceed the number of that person's probes.")
    if len(gaps) < 2:
        raise DesignError(
            f"A test over people needs at least two, got {len(gaps)}.",
            "use mcnemar for independent probes of one person.",
        )
    return gaps, counts
