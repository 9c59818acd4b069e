"""Statistical evaluation of recognition algorithms: how good, how sure, and is it better?

The public names are loaded when they are first used, so that ``import proband`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from proband._version import __version__ as __version__

if TYPE_CHECKING:
    from proband.designs import Binomial as Binomial, Bootstrap as Bootstrap, Clustered as Clustered
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
        RankStatistic as RankStatistic,
        compare as compare,
        estimate as estimate,
        estimate_cmc as estimate_cmc,
        mcnemar as mcnemar,
    )
    from proband.measures import (
        CMC as CMC,
        Curve as Curve,
        Evaluation as Evaluation,
        Measurement as Measurement,
        MedianCensoredRank as MedianCensoredRank,
        MedianRelativeRank as MedianRelativeRank,
        Outcomes as Outcomes,
        RecognitionRate as RecognitionRate,
        average_cmc as average_cmc,
        evaluate as evaluate,
        rank as rank,
        upper_bound_cmc as upper_bound_cmc,
    )
    from proband.report import cmc_figure as cmc_figure, save_figure as save_figure
    from proband.samples import (
        Category as Category,
        Experiment as Experiment,
        OnePerSubject as OnePerSubject,
        Samples as Samples,
        equally_representative as equally_representative,
        feret_categories as feret_categories,
        representation as representation,
    )
    from proband.scores import Embeddings as Embeddings, Scores as Scores, experiment_over as experiment_over
    from proband.scores.formats import write_scores as write_scores
    from proband.scores.reading import read_embeddings as read_embeddings, read_scores as read_scores
    from proband.scores.trials import Trials as Trials, read_lfw_pairs as read_lfw_pairs

_HOME = {
    "proband.errors": ("AlignmentError", "DesignError", "InputError", "ProbandError", "UsageError"),
    "proband.samples": (
        "Category",
        "Experiment",
        "OnePerSubject",
        "Samples",
        "equally_representative",
        "feret_categories",
        "representation",
    ),
    "proband.scores": ("Embeddings", "Scores", "experiment_over"),
    "proband.scores.formats": ("write_scores",),
    "proband.scores.reading": ("read_embeddings", "read_scores"),
    "proband.scores.trials": ("Trials", "read_lfw_pairs"),
    "proband.measures": (
        "CMC",
        "Curve",
        "Evaluation",
        "Measurement",
        "MedianCensoredRank",
        "MedianRelativeRank",
        "Outcomes",
        "RecognitionRate",
        "average_cmc",
        "evaluate",
        "rank",
        "upper_bound_cmc",
    ),
    "proband.designs": ("Binomial", "Bootstrap", "Clustered"),
    "proband.inference": (
        "Comparison",
        "Estimate",
        "RankStatistic",
        "compare",
        "estimate",
        "estimate_cmc",
        "mcnemar",
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
