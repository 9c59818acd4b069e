"""Estimates and comparisons that say how sure one can be, and of what.

`procedures` is the table that leads a question to its procedure, `proportions` what they all count with,
`moderation` how what few people show is averaged with what is supposed. `estimates/` is one
algorithm, `comparisons/` two or more on the same probes. By what varies or is shared: `verification/` (pairs of people),
`strata/`, `survey/` (units with weights), `galleries/`, `image_choice/` (other images of these people), `covariates/` (what makes a probe fail), `cross_validation/` (folds of classifiers),
`datasets/` (several data sets). Without people:
`outcomes/` (successes of items) and `classification/` (samples of fixed classes). `planning/` comes
before any data, `simulation/` asks whether procedures keep their word.
"""

from proband.engine.arguments import publish
from proband.inference.classification.classify import classify
from proband.inference.classification.results import Classification
from proband.inference.comparisons.compare import compare
from proband.inference.comparisons.comparison import Comparison
from proband.inference.comparisons.gate import Gate, gate
from proband.inference.comparisons.independent import compare_independent
from proband.inference.comparisons.mcnemar_table import McNemarTable, mcnemar_table
from proband.inference.comparisons.testing.mcnemar import (
    McNemar,
    PairedOutcomes,
    mcnemar,
    newcombe_interval,
    tango_interval,
)
from proband.inference.datasets.comparison import compare_datasets
from proband.inference.datasets.results import DatasetComparison
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.estimates.cmc_bands import estimate_cmc
from proband.inference.estimates.estimate import estimate
from proband.inference.estimates.evaluate import evaluate
from proband.inference.estimates.evaluation import Entry, Evaluation
from proband.inference.estimates.overlap import SetOverlap, set_overlap
from proband.inference.galleries.effect import GalleryEffect, ImageColumns, gallery_effect
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.variation import gallery_variation
from proband.inference.image_choice.distributions import Distribution
from proband.inference.image_choice.estimates import exact_over_choices
from proband.inference.image_choice.listing import trial_choices
from proband.inference.image_choice.virtual_experiments import VirtualExperiments, permute
from proband.inference.outcomes.results import OutcomeComparison, OutcomeRate
from proband.inference.outcomes.tables import compare_outcomes
from proband.inference.planning.planning import plan_difference, plan_error_rate, plan_half_width
from proband.inference.proportions import Interval, difference_of_independent, proportion_interval
from proband.inference.simulation.coverage import Coverage, coverage
from proband.inference.simulation.halves import Halves, compare_halves
from proband.inference.strata.sensors import compare_sensors
from proband.inference.survey import ReplicateEstimate, Survey, SurveyEstimates, estimate_weighted
from proband.inference.verification.results import Verification, Verifications
from proband.inference.verification.thresholds.deployed import threshold
from proband.inference.verification.thresholds.results import DeployedThreshold, DeployedThresholds
from proband.inference.verification.verification import verify, verify_pairs
from proband.results.band import Band
from proband.results.difference import Difference
from proband.results.estimate import Clusters, Estimate

__all__ = [
    "Band",
    "Classification",
    "Clusters",
    "Comparison",
    "Coverage",
    "DatasetComparison",
    "DeployedThreshold",
    "DeployedThresholds",
    "Difference",
    "Distribution",
    "Entry",
    "Estimate",
    "Evaluation",
    "GalleryEffect",
    "GalleryVariation",
    "Gate",
    "Halves",
    "ImageColumns",
    "Interval",
    "McNemar",
    "McNemarTable",
    "OutcomeComparison",
    "OutcomeRate",
    "PairedOutcomes",
    "ReplicateEstimate",
    "SetOverlap",
    "Survey",
    "SurveyEstimates",
    "Verification",
    "Verifications",
    "VirtualExperiments",
    "classify",
    "cluster_statistics",
    "compare",
    "compare_datasets",
    "compare_halves",
    "compare_independent",
    "compare_outcomes",
    "compare_sensors",
    "coverage",
    "difference_of_independent",
    "estimate",
    "estimate_cmc",
    "estimate_weighted",
    "evaluate",
    "exact_over_choices",
    "feret_study",
    "gallery_effect",
    "gallery_variation",
    "gate",
    "mcnemar",
    "mcnemar_table",
    "newcombe_interval",
    "permute",
    "plan_difference",
    "plan_error_rate",
    "plan_half_width",
    "proportion_interval",
    "set_overlap",
    "tango_interval",
    "threshold",
    "trial_choices",
    "verify",
    "verify_pairs",
]

publish(__name__)
