"""Adjusting p-values, and with them intervals, for the number of comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.inference.comparisons.testing.tails import RankedStatistics

Floats = npt.NDArray[np.float64]
_DRAWS = 9_999


@dataclass(frozen=True, eq=False)
class SingleStep:
    """What a p-value counts for among several comparisons: how often the largest statistic would be as large without differences.

    Westfall & Young (1993), single-step max-T: with t_s the largest of the comparisons' statistics in draw s, each by its own
    `scale_of`, p becomes the share of t_s ≥ z, P[|N| ≥ z] = p, at least p and at most m p (Bonferroni). So a small p-value is
    adjusted to 1/(B + 1) at least, however many comparisons there are. Statistics of few people have shorter tails than normal
    ones: where a statistic's rank among its own draws tells a smaller p-value, that counts. How comparisons depend on each
    other counts. One and the same function adjusts p-values and finds the level of simultaneous intervals, so that these agree.

    Attributes
    ----------
    least
        The p-value of every draw's largest statistic, in ascending order.
    n
        The number of comparisons.
    families
        How many such sets of comparisons there are, such as categories of probes: p-values count for so many times as much.
    """

    least: Floats
    n: int
    families: int = 1

    @classmethod
    def of(cls, statistics: Iterable[Floats | RankedStatistics | None]) -> SingleStep:
        """Take the sizes of each comparison's statistic without a difference, over the same draws; None where none were made.

        They may be in any unit. Those that are 0 in all draws belong to two that do not differ.
        """
        least, n = np.zeros(0), 0
        for n, one in enumerate(statistics, 1):  # noqa: B007
            if one is not None:
                p = (one if isinstance(one, RankedStatistics) else RankedStatistics.of(one)).p_values
                least = np.minimum(least, p) if len(least) else p
        return cls(np.sort(least), n)

    def p_value(self, p: float) -> float:
        """The adjusted p-value."""
        if self.n == 1:
            return min(1.0, self.families * p)
        as_small = (1 + int(np.searchsorted(self.least, p, "right"))) / (1 + len(self.least))
        return min(1.0, self.families * min(self.n * p, max(p, as_small)))

    def level(self, alpha: float) -> float:
        """The largest p-value that is adjusted to at most `alpha`."""
        if self.families > 1:
            alpha = float(np.nextafter(alpha / self.families, 0.0))
        if self.n == 1:
            return alpha
        shared, draws = float(np.nextafter(alpha / self.n, 0.0)), len(self.least)
        passed = int(alpha * (1 + draws) + 1e-9) - 1  # so many draws may have a p-value as small
        passed -= (1 + passed) / (1 + draws) > alpha
        if passed < 0:
            return shared
        return (
            max(shared, min(alpha, float(np.nextafter(self.least[passed], 0.0)))) if passed < draws else alpha
        )


def normal_statistics(pairs: Sequence[tuple[str, str]], errors: Sequence[float]) -> list[Floats | None]:
    """Draw the statistics of differences of every two algorithms from the normal distribution that their standard errors imply.

    The variances V of the differences tell their covariances: those with a third are (V_ac + V_bc − V_ab)/2.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    place = {name: k for k, name in enumerate(names)}
    variances = np.zeros((len(names), len(names)))
    for (first, second), error in zip(pairs, errors, strict=True):
        a, b = place[first], place[second]
        variances[a, b] = variances[b, a] = error**2
    if not np.isfinite(variances).all() or len(pairs) != len(names) * (len(names) - 1) // 2:
        return [None] * len(pairs)
    to_last = variances[-1]
    values, vectors = np.linalg.eigh((to_last[:, None] + to_last[None, :] - variances) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = np.random.default_rng(0).standard_normal((_DRAWS, len(names))) @ root.T
    return [np.abs(drawn[:, place[a]] - drawn[:, place[b]]) for a, b in pairs]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down method (1979), which holds whatever their dependence.

    In ascending order p_(i) becomes the largest of (m − j + 1) p_(j) over j ≤ i, and at most 1.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
