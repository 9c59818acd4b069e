"""Statistical evaluation of recognition algorithms: how good, how sure, and is it better?

The public names are loaded when they are first used, so that ``import proband`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from proband._version import __version__ as __version__

if TYPE_CHECKING:
    from proband.designs import (
        BRR as BRR,
        Binomial as Binomial,
        Bootstrap as Bootstrap,
        Clustered as Clustered,
        ClusteredMcNemar as ClusteredMcNemar,
        CollapsedStrata as CollapsedStrata,
        Enumeration as Enumeration,
        Fay as Fay,
        Galleries as Galleries,
        ImageChoice as ImageChoice,
        Jackknife as Jackknife,
        RaoWu as RaoWu,
        SignFlip as SignFlip,
        TrainingSets as TrainingSets,
    )
    from proband.errors import (
        AlignmentError as AlignmentError,
        DesignError as DesignError,
        InputError as InputError,
        ProbandError as ProbandError,
        UsageError as UsageError,
    )
    from proband.inference import (
        Comparison as Comparison,
        Estimate as Estimate,
        Evaluation as Evaluation,
        GalleryVariation as GalleryVariation,
        ImageColumns as ImageColumns,
        VirtualExperiments as VirtualExperiments,
        compare as compare,
        compare_independent as compare_independent,
        estimate as estimate,
        estimate_cmc as estimate_cmc,
        estimate_weighted as estimate_weighted,
        evaluate as evaluate,
        exact_over_choices as exact_over_choices,
        feret_study as feret_study,
        gallery_effect as gallery_effect,
        gallery_variation as gallery_variation,
        mcnemar as mcnemar,
        permute as permute,
        plan_difference as plan_difference,
        plan_error_rate as plan_error_rate,
        plan_half_width as plan_half_width,
        verify as verify,
    )
    from proband.measures import (
        AUC as AUC,
        CMC as CMC,
        FNMR as FNMR,
        Curve as Curve,
        Measurement as Measurement,
        MedianCensoredRank as MedianCensoredRank,
        MedianRelativeRank as MedianRelativeRank,
        Outcomes as Outcomes,
        RankStatistic as RankStatistic,
        RecognitionRate as RecognitionRate,
        average_cmc as average_cmc,
        rank as rank,
        search as search,
        upper_bound_cmc as upper_bound_cmc,
    )
    from proband.report import cmc_figure as cmc_figure, save_figure as save_figure
    from proband.samples import (
        Category as Category,
        Experiment as Experiment,
        OnePerSubject as OnePerSubject,
        Pool as Pool,
        Samples as Samples,
        equally_representative as equally_representative,
        feret_categories as feret_categories,
        representation as representation,
    )
    from proband.scores import (
        Embeddings as Embeddings,
        Scores as Scores,
        experiment_over as experiment_over,
        pool_over as pool_over,
    )
    from proband.scores.formats import write_scores as write_scores
    from proband.scores.reading import read_embeddings as read_embeddings, read_scores as read_scores
    from proband.scores.trials import Trials as Trials, read_lfw_pairs as read_lfw_pairs

_HOME = {
    "proband.errors": ("AlignmentError", "DesignError", "InputError", "ProbandError", "UsageError"),
    "proband.samples": (
        "Category",
        "Experiment",
        "OnePerSubject",
        "Pool",
        "Samples",
        "equally_representative",
        "feret_categories",
        "representation",
    ),
    "proband.scores": ("Embeddings", "Scores", "experiment_over", "pool_over"),
    "proband.scores.formats": ("write_scores",),
    "proband.scores.reading": ("read_embeddings", "read_scores"),
    "proband.scores.trials": ("Trials", "read_lfw_pairs"),
    "proband.measures": (
        "AUC",
        "CMC",
        "FNMR",
        "Curve",
        "Measurement",
        "MedianCensoredRank",
        "MedianRelativeRank",
        "Outcomes",
        "RankStatistic",
        "RecognitionRate",
        "average_cmc",
        "rank",
        "search",
        "upper_bound_cmc",
    ),
    "proband.designs": (
        "BRR",
        "Binomial",
        "Bootstrap",
        "Clustered",
        "ClusteredMcNemar",
        "CollapsedStrata",
        "Enumeration",
        "Fay",
        "Galleries",
        "ImageChoice",
        "Jackknife",
        "RaoWu",
        "SignFlip",
        "TrainingSets",
    ),
    "proband.inference": (
        "Comparison",
        "Estimate",
        "Evaluation",
        "GalleryVariation",
        "ImageColumns",
        "VirtualExperiments",
        "compare",
        "compare_independent",
        "estimate",
        "estimate_cmc",
        "estimate_weighted",
        "gallery_effect",
        "gallery_variation",
        "evaluate",
        "exact_over_choices",
        "feret_study",
        "mcnemar",
        "permute",
        "plan_difference",
        "plan_error_rate",
        "plan_half_width",
        "verify",
    ),
    "proband.report": ("cmc_figure", "save_figure"),
}
_PLACE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    try:
        module = _PLACE[name]
    except KeyError:
        raise AttributeError(f"module 'proband' has no attribute {name!r}") from None
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACE])
