"""Statistical evaluation of recognition algorithms: how good, how sure, and is it better?

The names a user needs are here; what belongs to them is in namespaces: ``designs`` (what varies), ``measures``, ``results``,
``protocols``, ``blind``, ``papers``, ``algorithms``, ``faces``, ``report``. Names and namespaces are loaded when they are first used, so
that ``import proband`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily
from proband._version import __version__ as __version__

if TYPE_CHECKING:
    from proband import (
        algorithms as algorithms,
        blind as blind,
        designs as designs,
        errors as errors,
        faces as faces,
        inference as inference,
        measures as measures,
        papers as papers,
        protocols as protocols,
        report as report,
        results as results,
        samples as samples,
        scores as scores,
        study as study,
    )
    from proband.analyses import Request as Request
    from proband.errors import ProbandError as ProbandError
    from proband.inference import (
        Survey as Survey,
        classify as classify,
        compare as compare,
        compare_datasets as compare_datasets,
        compare_halves as compare_halves,
        compare_independent as compare_independent,
        compare_outcomes as compare_outcomes,
        compare_sensors as compare_sensors,
        coverage as coverage,
        estimate as estimate,
        estimate_cmc as estimate_cmc,
        estimate_weighted as estimate_weighted,
        evaluate as evaluate,
        exact_over_choices as exact_over_choices,
        feret_study as feret_study,
        gallery_effect as gallery_effect,
        gallery_variation as gallery_variation,
        gate as gate,
        mcnemar as mcnemar,
        mcnemar_table as mcnemar_table,
        permute as permute,
        plan_difference as plan_difference,
        plan_error_rate as plan_error_rate,
        plan_half_width as plan_half_width,
        threshold as threshold,
        verify as verify,
        verify_pairs as verify_pairs,
    )
    from proband.inference.covariates.difficulty import partition as partition
    from proband.inference.covariates.outcomes import explain_outcomes as explain_outcomes
    from proband.inference.covariates.study import covariates as covariates
    from proband.measures import (
        AUC as AUC,
        CMC as CMC,
        EER as EER,
        FNMR as FNMR,
        MedianCensoredRank as MedianCensoredRank,
        MedianRelativeRank as MedianRelativeRank,
        RankStatistic as RankStatistic,
        RecognitionRate as RecognitionRate,
        RelativeRankRate as RelativeRankRate,
        rank as rank,
        search as search,
    )
    from proband.report import save_figure as save_figure
    from proband.samples import (
        Category as Category,
        Experiment as Experiment,
        OnePerSubject as OnePerSubject,
        Pool as Pool,
        Samples as Samples,
        feret_categories as feret_categories,
    )
    from proband.scores import (
        Embeddings as Embeddings,
        Scores as Scores,
        experiment_over as experiment_over,
        pool_over as pool_over,
    )
    from proband.scores.formats import write_scores as write_scores
    from proband.scores.reading import read_embeddings as read_embeddings, read_scores as read_scores
    from proband.scores.scored_pairs import scored_pairs as scored_pairs
    from proband.scores.trials import Trials as Trials
    from proband.study.findings import read_results as read_results
    from proband.study.reading import read_study as read_study
    from proband.study.run import run as run

__getattr__, __dir__ = lazily(
    __name__,
    {
        "errors": "ProbandError",
        "samples": "Category Experiment OnePerSubject Pool Samples feret_categories",
        "scores": "Embeddings Scores experiment_over pool_over",
        "scores.scored_pairs": "scored_pairs",
        "scores.trials": "Trials",
        "scores.reading": "read_embeddings read_scores",
        "scores.formats": "write_scores",
        "measures": "AUC CMC EER FNMR MedianCensoredRank MedianRelativeRank RankStatistic RecognitionRate RelativeRankRate rank search",
        "inference": "Survey classify compare compare_datasets compare_halves compare_independent compare_outcomes compare_sensors coverage estimate estimate_cmc estimate_weighted evaluate exact_over_choices feret_study "
        "gallery_effect gallery_variation gate mcnemar mcnemar_table permute plan_difference plan_error_rate plan_half_width threshold verify verify_pairs",
        "inference.covariates.difficulty": "partition",
        "inference.covariates.outcomes": "explain_outcomes",
        "inference.covariates.study": "covariates",
        "analyses": "Request",
        "study.findings": "read_results",
        "study.reading": "read_study",
        "study.run": "run",
        "report": "save_figure",
    },
    (
        *("algorithms", "blind", "designs", "errors", "faces", "inference", "measures", "papers"),
        *("protocols", "report", "results", "samples", "scores", "study"),
    ),
)
