"""How often an interval misses that takes clustered probes for independent ones (Kish 1957)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.distributions import normal_cdf
from proband.engine.arguments import published
from proband.errors import UsageError
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.proportions import check_level, normal_quantile
from proband.measures import Outcomes
from proband.results.base import Confidence, Rate


@dataclass(frozen=True, eq=False)
class MissRate:
    """How often a binomial interval misses where probes of one person are alike.

    Attributes
    ----------
    intraclass_correlation, mean_probes
        How alike the probes of one person are, and how many a person has on average.
    product
        ρ(n̄ − 1), by which Kish measures the harm.
    confidence_level, nominal, value
        Of the interval; how often it should miss, and how often it does: less often where probes of one person differ more than
        those of different people (a correlation below 0).
    """

    intraclass_correlation: float
    mean_probes: float
    product: float
    confidence_level: Confidence
    nominal: Rate
    value: Rate

    @classmethod
    def of(cls, outcomes: Outcomes, rank: int = 1, confidence_level: float = 0.95) -> MissRate | None:
        """Find it for the recognition rate of an algorithm; None where all probes succeed or none, which shows no correlation."""
        found = cluster_statistics(outcomes.success(rank), outcomes.subjects)
        if found.nothing_varies:
            return None
        mean = len(outcomes) / len(np.unique(outcomes.subjects))
        miss = kish_miss_rate(found.icc, mean, confidence_level)
        nominal = round(1 - confidence_level, 12)
        return cls(found.icc, mean, found.icc * (mean - 1), confidence_level, nominal, miss)


@published
def kish_miss_rate(
    intraclass_correlation: float, mean_probes: float, confidence_level: float = 0.95
) -> float:
    """Return the miss rate of an interval that treats clustered probes as independent.

    With ρ the intraclass correlation and n̄ probes per cluster, the variance is 1 + ρ(n̄ − 1) times the binomial one, so an
    interval of nominal level 1 − α misses with 2Φ(−z/√(1 + ρ(n̄ − 1))) (Kish 1957). This is for new people with the same number
    of probes each. A negative correlation gives fewer misses, and none if ρ(n̄ − 1) ≤ −1.
    """
    check_level(confidence_level)
    if not -1 <= intraclass_correlation <= 1 or not mean_probes >= 1:
        raise UsageError(
            "An intraclass correlation must be from -1 to 1 and the number of probes at least 1, got "
            f"{intraclass_correlation!r} and {mean_probes!r}."
        )
    effect = 1 + intraclass_correlation * (mean_probes - 1)
    if effect <= 0:
        return 0.0
    return float(2 * normal_cdf(-normal_quantile(confidence_level) / np.sqrt(effect)))
