"""Results: numbers with their intervals, their four answers, and what functions return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.classification.results import (
        Classification as Classification,
    )
    from proband.inference.comparisons.comparison import (
        Comparison as Comparison,
        ComparisonsByCategory as ComparisonsByCategory,
    )
    from proband.inference.comparisons.gate import (
        Gate as Gate,
    )
    from proband.inference.comparisons.mcnemar_table import (
        McNemarTable as McNemarTable,
    )
    from proband.inference.comparisons.testing.mcnemar import (
        PairedTest as PairedTest,
    )
    from proband.inference.covariates.difficulty import (
        Partition as Partition,
    )
    from proband.inference.covariates.results import (
        CovariateStudy as CovariateStudy,
    )
    from proband.inference.datasets.results import (
        DatasetComparison as DatasetComparison,
    )
    from proband.inference.estimates.evaluation import (
        Entry as Entry,
        Evaluation as Evaluation,
    )
    from proband.inference.estimates.overlap import (
        SetOverlap as SetOverlap,
    )
    from proband.inference.galleries.effect import (
        GalleryEffect as GalleryEffect,
    )
    from proband.inference.galleries.feret_results import (
        FeretStudy as FeretStudy,
    )
    from proband.inference.galleries.tables import (
        GalleryVariation as GalleryVariation,
    )
    from proband.inference.image_choice.distributions import (
        Distribution as Distribution,
    )
    from proband.inference.image_choice.exact import (
        ExactChoice as ExactChoice,
    )
    from proband.inference.image_choice.measured import (
        MeasureOverChoices as MeasureOverChoices,
    )
    from proband.inference.image_choice.virtual_experiments import (
        VirtualExperiments as VirtualExperiments,
    )
    from proband.inference.outcomes.results import (
        OutcomeComparison as OutcomeComparison,
    )
    from proband.inference.planning.plans import (
        DifferencePlan as DifferencePlan,
        ErrorRatePlan as ErrorRatePlan,
        HalfWidthPlan as HalfWidthPlan,
    )
    from proband.inference.simulation.coverage import (
        Coverage as Coverage,
    )
    from proband.inference.simulation.halves import (
        Halves as Halves,
    )
    from proband.inference.strata.study import (
        StratStudy as StratStudy,
    )
    from proband.inference.survey.results import (
        SurveyEstimates as SurveyEstimates,
    )
    from proband.inference.verification.results import (
        Verification as Verification,
    )
    from proband.inference.verification.thresholds.results import (
        DeployedThreshold as DeployedThreshold,
    )
    from proband.results.about import RestsOn as RestsOn, Who as Who
    from proband.results.band import (
        Band as Band,
        Curve as Curve,
    )
    from proband.results.base import (
        Answers as Answers,
        Facts as Facts,
        Interval as Interval,
        Result as Result,
    )
    from proband.results.difference import (
        Difference as Difference,
    )
    from proband.results.estimate import (
        Clusters as Clusters,
        Estimate as Estimate,
        Measurement as Measurement,
    )
    from proband.results.several import Several as Several
    from proband.results.test import Test as Test
    from proband.study.findings import (
        Findings as Findings,
    )

_HOMES = {
    "proband.results.about": "RestsOn Who",
    "proband.results.band": "Band Curve",
    "proband.results.base": "Answers Facts Interval Result",
    "proband.results.difference": "Difference",
    "proband.results.estimate": "Clusters Estimate Measurement",
    "proband.results.several": "Several",
    "proband.results.test": "Test",
    "proband.inference.classification.results": "Classification",
    "proband.inference.comparisons.comparison": "Comparison ComparisonsByCategory",
    "proband.inference.comparisons.gate": "Gate",
    "proband.inference.comparisons.mcnemar_table": "McNemarTable",
    "proband.inference.comparisons.testing.mcnemar": "PairedTest",
    "proband.inference.covariates.difficulty": "Partition",
    "proband.inference.covariates.results": "CovariateStudy",
    "proband.inference.datasets.results": "DatasetComparison",
    "proband.inference.estimates.evaluation": "Entry Evaluation",
    "proband.inference.estimates.overlap": "SetOverlap",
    "proband.inference.galleries.effect": "GalleryEffect",
    "proband.inference.galleries.feret_results": "FeretStudy",
    "proband.inference.galleries.tables": "GalleryVariation",
    "proband.inference.image_choice.distributions": "Distribution",
    "proband.inference.image_choice.exact": "ExactChoice",
    "proband.inference.image_choice.measured": "MeasureOverChoices",
    "proband.inference.image_choice.virtual_experiments": "VirtualExperiments",
    "proband.inference.outcomes.results": "OutcomeComparison",
    "proband.inference.planning.plans": "DifferencePlan ErrorRatePlan HalfWidthPlan",
    "proband.inference.simulation.coverage": "Coverage",
    "proband.inference.simulation.halves": "Halves",
    "proband.inference.strata.study": "StratStudy",
    "proband.inference.survey.results": "SurveyEstimates",
    "proband.inference.verification.results": "Verification",
    "proband.inference.verification.thresholds.results": "DeployedThreshold",
    "proband.study.findings": "Findings",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
