"""Estimates and comparisons that say how sure one can be, and of what."""

from proband.inference.bands import estimate_cmc
from proband.inference.choice import exact_over_choices
from proband.inference.clusters import Clusters, cluster_statistics
from proband.inference.comparing import compare, compare_independent
from proband.inference.comparison import Comparison, PairComparison
from proband.inference.distributions import Distribution
from proband.inference.estimates import Band, Estimate
from proband.inference.estimation import estimate
from proband.inference.evaluation import Entry, Evaluation, evaluate
from proband.inference.feret_study import feret_study
from proband.inference.galleries import GalleryEffect, ImageColumns, gallery_effect
from proband.inference.gallery_tables import GalleryVariation
from proband.inference.gallery_variation import gallery_variation
from proband.inference.mcnemar import (
    McNemar,
    PairedOutcomes,
    mcnemar,
    newcombe_interval,
    tango_interval,
)
from proband.inference.planning import plan_difference, plan_error_rate, plan_half_width
from proband.inference.proportions import Interval, difference_of_independent, proportion_interval
from proband.inference.resampling import RankStatistic
from proband.inference.stratified import ReplicateEstimate, estimate_weighted
from proband.inference.verifying import Verification, verify
from proband.inference.virtual import VirtualExperiments, permute

__all__ = [
    "Band",
    "Clusters",
    "Comparison",
    "Distribution",
    "Entry",
    "Estimate",
    "Evaluation",
    "GalleryEffect",
    "GalleryVariation",
    "ImageColumns",
    "Interval",
    "McNemar",
    "PairComparison",
    "PairedOutcomes",
    "RankStatistic",
    "ReplicateEstimate",
    "Verification",
    "VirtualExperiments",
    "cluster_statistics",
    "compare",
    "compare_independent",
    "difference_of_independent",
    "estimate",
    "estimate_cmc",
    "estimate_weighted",
    "evaluate",
    "exact_over_choices",
    "feret_study",
    "gallery_effect",
    "gallery_variation",
    "mcnemar",
    "newcombe_interval",
    "permute",
    "plan_difference",
    "plan_error_rate",
    "plan_half_width",
    "proportion_interval",
    "tango_interval",
    "verify",
]
