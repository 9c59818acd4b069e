"""Estimates and comparisons that say how sure one can be, and of what.

`procedures` is the table that leads a question to its procedure, `proportions` what they all count with,
`moderation` how what few people show is averaged with what is supposed. `estimates/` is one
algorithm, `comparisons/` two or more on the same probes. By what varies or is shared: `verification/` (pairs of people),
`strata/`, `survey/` (units with weights), `galleries/`, `image_choice/` (other images of these people), `covariates/` (what makes a probe fail), `cross_validation/` (folds of classifiers),
`datasets/` (several data sets). Without people:
`outcomes/` (successes of items) and `classification/` (samples of fixed classes). `planning/` comes
before any data, `simulation/` asks whether procedures keep their word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.classification.classify import classify as classify
    from proband.inference.classification.results import Classification as Classification
    from proband.inference.comparisons.compare import compare as compare
    from proband.inference.comparisons.comparison import Comparison as Comparison
    from proband.inference.comparisons.gate import Gate as Gate, gate as gate
    from proband.inference.comparisons.independent import compare_independent as compare_independent
    from proband.inference.comparisons.mcnemar_table import (
        McNemarTable as McNemarTable,
        mcnemar_table as mcnemar_table,
    )
    from proband.inference.comparisons.testing.mcnemar import (
        PairedOutcomes as PairedOutcomes,
        PairedTest as PairedTest,
        mcnemar as mcnemar,
        newcombe_interval as newcombe_interval,
        tango_interval as tango_interval,
    )
    from proband.inference.datasets.comparison import compare_datasets as compare_datasets
    from proband.inference.datasets.results import DatasetComparison as DatasetComparison
    from proband.inference.estimates.clusters import cluster_statistics as cluster_statistics
    from proband.inference.estimates.cmc_bands import estimate_cmc as estimate_cmc
    from proband.inference.estimates.estimate import estimate as estimate
    from proband.inference.estimates.evaluate import evaluate as evaluate
    from proband.inference.estimates.evaluation import Entry as Entry, Evaluation as Evaluation
    from proband.inference.estimates.overlap import SetOverlap as SetOverlap, set_overlap as set_overlap
    from proband.inference.galleries.effect import (
        GalleryEffect as GalleryEffect,
        ImageColumns as ImageColumns,
        gallery_effect as gallery_effect,
    )
    from proband.inference.galleries.feret_study import feret_study as feret_study
    from proband.inference.galleries.tables import GalleryVariation as GalleryVariation
    from proband.inference.galleries.variation import gallery_variation as gallery_variation
    from proband.inference.image_choice.distributions import Distribution as Distribution
    from proband.inference.image_choice.estimates import exact_over_choices as exact_over_choices
    from proband.inference.image_choice.listing import trial_choices as trial_choices
    from proband.inference.image_choice.virtual_experiments import (
        VirtualExperiments as VirtualExperiments,
        permute as permute,
    )
    from proband.inference.outcomes.results import (
        OutcomeComparison as OutcomeComparison,
    )
    from proband.inference.outcomes.tables import compare_outcomes as compare_outcomes
    from proband.inference.planning.planning import (
        plan_difference as plan_difference,
        plan_error_rate as plan_error_rate,
        plan_half_width as plan_half_width,
    )
    from proband.inference.proportions import (
        Interval as Interval,
        difference_of_independent as difference_of_independent,
        proportion_interval as proportion_interval,
    )
    from proband.inference.simulation.coverage import Coverage as Coverage, coverage as coverage
    from proband.inference.simulation.halves import Halves as Halves, compare_halves as compare_halves
    from proband.inference.strata.sensors import compare_sensors as compare_sensors
    from proband.inference.survey import (
        Survey as Survey,
        SurveyEstimates as SurveyEstimates,
        estimate_weighted as estimate_weighted,
    )
    from proband.inference.verification.results import Verification as Verification
    from proband.inference.verification.thresholds.deployed import threshold as threshold
    from proband.inference.verification.thresholds.results import DeployedThreshold as DeployedThreshold
    from proband.inference.verification.verification import verify as verify, verify_pairs as verify_pairs
    from proband.results.band import Band as Band
    from proband.results.difference import Difference as Difference
    from proband.results.estimate import Clusters as Clusters, Estimate as Estimate

_HOMES = {
    "classification.classify": "classify",
    "classification.results": "Classification",
    "comparisons.compare": "compare",
    "comparisons.comparison": "Comparison",
    "comparisons.gate": "Gate gate",
    "comparisons.independent": "compare_independent",
    "comparisons.mcnemar_table": "McNemarTable mcnemar_table",
    "comparisons.testing.mcnemar": "PairedOutcomes PairedTest mcnemar newcombe_interval tango_interval",
    "datasets.comparison": "compare_datasets",
    "datasets.results": "DatasetComparison",
    "estimates.clusters": "cluster_statistics",
    "estimates.cmc_bands": "estimate_cmc",
    "estimates.estimate": "estimate",
    "estimates.evaluate": "evaluate",
    "estimates.evaluation": "Entry Evaluation",
    "estimates.overlap": "SetOverlap set_overlap",
    "galleries.effect": "GalleryEffect ImageColumns gallery_effect",
    "galleries.feret_study": "feret_study",
    "galleries.tables": "GalleryVariation",
    "galleries.variation": "gallery_variation",
    "image_choice.distributions": "Distribution",
    "image_choice.estimates": "exact_over_choices",
    "image_choice.listing": "trial_choices",
    "image_choice.virtual_experiments": "VirtualExperiments permute",
    "outcomes.results": "OutcomeComparison",
    "outcomes.tables": "compare_outcomes",
    "planning.planning": "plan_difference plan_error_rate plan_half_width",
    "proportions": "Interval difference_of_independent proportion_interval",
    "simulation.coverage": "Coverage coverage",
    "simulation.halves": "Halves compare_halves",
    "strata.sensors": "compare_sensors",
    "survey": "Survey SurveyEstimates estimate_weighted",
    "verification.results": "Verification",
    "verification.thresholds.deployed": "threshold",
    "verification.thresholds.results": "DeployedThreshold",
    "verification.verification": "verify verify_pairs",
    "proband.results.band": "Band",
    "proband.results.difference": "Difference",
    "proband.results.estimate": "Clusters Estimate",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
