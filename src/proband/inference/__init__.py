"""Estimates and comparisons that say how sure one can be, and of what."""

from proband.inference.clusters import Clusters, cluster_statistics
from proband.inference.comparison import Comparison, PairComparison, compare
from proband.inference.estimates import Band, Estimate
from proband.inference.estimation import estimate, estimate_cmc
from proband.inference.mcnemar import (
    McNemar,
    PairedOutcomes,
    mcnemar,
    newcombe_interval,
    tango_interval,
)
from proband.inference.proportions import Interval, difference_of_independent, proportion_interval
from proband.inference.resampling import RankStatistic

__all__ = [
    "Band",
    "Clusters",
    "Comparison",
    "Estimate",
    "Interval",
    "McNemar",
    "PairComparison",
    "PairedOutcomes",
    "RankStatistic",
    "cluster_statistics",
    "compare",
    "difference_of_independent",
    "estimate",
    "estimate_cmc",
    "mcnemar",
    "newcombe_interval",
    "proportion_interval",
    "tango_interval",
]
