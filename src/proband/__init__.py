"""Statistical evaluation of recognition algorithms: how good, how sure, and is it better?

The most common names are here; the rest are in namespaces: ``measures``, ``designs`` (what varies), ``data`` (samples, scores and their
selection), ``results`` (what functions return), ``stats``, ``strat``, ``feret``, ``survey``, ``choices``, ``planning``, ``protocols``, ``blind``,
``papers``, ``algorithms``, ``faces``, ``report``, ``sklearn``, ``errors``. ``dir(proband)`` lists them all. Packages that are not listed are private: they can be
imported, but may change without notice. Modules are loaded on first use, so ``import proband`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily
from proband._version import __version__ as __version__

if TYPE_CHECKING:
    from proband import (
        algorithms as algorithms,
        blind as blind,
        choices as choices,
        data as data,
        designs as designs,
        errors as errors,
        faces as faces,
        feret as feret,
        measures as measures,
        papers as papers,
        planning as planning,
        protocols as protocols,
        report as report,
        results as results,
        sklearn as sklearn,
        stats as stats,
        strat as strat,
        survey as survey,
    )
    from proband.analyses import Request as Request
    from proband.errors import ProbandError as ProbandError
    from proband.inference.classification.classify import classify as classify
    from proband.inference.comparisons.compare import compare as compare
    from proband.inference.comparisons.gate import gate as gate
    from proband.inference.comparisons.testing.mcnemar import mcnemar as mcnemar
    from proband.inference.covariates.difficulty import partition as partition
    from proband.inference.covariates.study import covariates as covariates
    from proband.inference.datasets.comparison import compare_datasets as compare_datasets
    from proband.inference.estimates.estimate import estimate as estimate
    from proband.inference.estimates.evaluate import evaluate as evaluate
    from proband.inference.image_choice.virtual_experiments import permute as permute
    from proband.inference.outcomes.tables import compare_outcomes as compare_outcomes
    from proband.inference.verification.thresholds.deployed import threshold as threshold
    from proband.inference.verification.verification import verify as verify, verify_pairs as verify_pairs
    from proband.measures.open_set import search as search
    from proband.measures.ranks import rank as rank
    from proband.report.figures.style import save_figure as save_figure
    from proband.samples.categories import Category as Category
    from proband.samples.experiment import Experiment as Experiment
    from proband.samples.pool import Pool as Pool
    from proband.samples.table import Samples as Samples
    from proband.scores.base import Scores as Scores
    from proband.scores.embeddings import Embeddings as Embeddings
    from proband.scores.formats import write_scores as write_scores
    from proband.scores.reading import read_embeddings as read_embeddings, read_scores as read_scores
    from proband.scores.scored_pairs import scored_pairs as scored_pairs
    from proband.scores.trials import Trials as Trials
    from proband.study.findings import read_results as read_results
    from proband.study.reading import read_study as read_study
    from proband.study.run import run as run

_HOMES = {
    "analyses": "Request",
    "errors": "ProbandError",
    "inference.classification.classify": "classify",
    "inference.comparisons.compare": "compare",
    "inference.comparisons.gate": "gate",
    "inference.comparisons.testing.mcnemar": "mcnemar",
    "inference.covariates.difficulty": "partition",
    "inference.covariates.study": "covariates",
    "inference.datasets.comparison": "compare_datasets",
    "inference.estimates.estimate": "estimate",
    "inference.estimates.evaluate": "evaluate",
    "inference.image_choice.virtual_experiments": "permute",
    "inference.outcomes.tables": "compare_outcomes",
    "inference.verification.thresholds.deployed": "threshold",
    "inference.verification.verification": "verify verify_pairs",
    "measures.open_set": "search",
    "measures.ranks": "rank",
    "report.figures.style": "save_figure",
    "samples.categories": "Category",
    "samples.experiment": "Experiment",
    "samples.pool": "Pool",
    "samples.table": "Samples",
    "scores.base": "Scores",
    "scores.embeddings": "Embeddings",
    "scores.formats": "write_scores",
    "scores.reading": "read_embeddings read_scores",
    "scores.scored_pairs": "scored_pairs",
    "scores.trials": "Trials",
    "study.findings": "read_results",
    "study.reading": "read_study",
    "study.run": "run",
}
_ROOMS = (
    *("algorithms", "blind", "choices", "data", "designs", "errors", "faces", "feret", "measures"),
    *("papers", "planning", "protocols", "report", "results", "sklearn", "stats", "strat", "survey"),
)
__all__ = [*(name for names in _HOMES.values() for name in names.split()), *_ROOMS]
__getattr__, __dir__ = lazily(__name__, _HOMES, _ROOMS, published=True)
