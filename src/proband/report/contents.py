"""The tables and figures of a study, by the names of their files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.inference import Comparison
from proband.inference.comparisons.mcnemar_table import McNemarTable, as_table
from proband.inference.galleries.participants import participants_frame
from proband.inference.strata.study import StratStudy
from proband.inference.verification.groups import Differential
from proband.protocols.running.factors import sizes_frame
from proband.protocols.running.results import ProtocolRun
from proband.report.analyses import choices, feret, strat
from proband.report.analyses.covariates import coefficients_frame, differences_frame, rates_frame
from proband.report.analyses.measures import with_replicates
from proband.report.analyses.protocol_tables import classes_frame, confusions_frame
from proband.report.analyses.verification import points_frame, verification_figures
from proband.report.figures.classification import classification_figure
from proband.report.figures.covariates import covariates_figures, partition_figures
from proband.report.figures.datasets import FIGURES_OF_DATASETS, datasets_figure
from proband.report.figures.identification import comparison_figure, evaluation_figure, replicates_figure
from proband.report.figures.protocols import accuracy_figure, sizes_figure
from proband.report.figures.verification import searches_figure, thresholds_figure
from proband.report.leading import looks
from proband.study.findings import Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables_of(found: Findings) -> dict[str, pl.DataFrame]:
    """Every table of a study, rows as they are measured: nothing is rounded."""
    made: dict[str, pl.DataFrame] = {}
    if found.evaluation is not None:
        made["leaderboard"] = found.evaluation.to_frame()
        made["cmc"] = found.evaluation.curves_frame()
    if found.measured:
        made["measures"] = _joined(one.to_frame() for one in found.measured)
    if found.overlap is not None:
        made["overlap"] = found.overlap.to_frame()
    if found.comparisons:
        made["comparisons"] = _joined(
            one.to_frame().insert_column(0, pl.lit(name).alias("comparison"))
            for name, one in found.comparisons.items()
        )
        made["places"] = _joined(_places(name, one) for name, one in found.comparisons.items())
    if found.gate is not None:
        made["gate"] = found.gate.to_frame()
    if found.mcnemar is not None:
        tests = found.mcnemar if isinstance(found.mcnemar, McNemarTable) else as_table(found.mcnemar)
        made["mcnemar"] = tests.to_frame()
    if found.thresholds:
        made["thresholds"] = _joined(one.to_frame() for one in found.thresholds)
    if found.verification:
        made["operating_points"] = points_frame(found.verification)
        made["roc"] = _joined(one.rates.to_frame() for one in found.verification)
    if found.groups:
        made["groups"] = _joined(map(_groups, found.groups))
    if found.hard_subjects:
        made["hard_subjects"] = _joined(
            one.people.select(pl.lit(name).alias("algorithm"), pl.all())
            for name, one in found.hard_subjects.items()
        )
    if found.searches:
        made["searches"] = _joined(one.to_frame() for one in found.searches)
        made["search_curve"] = _joined(one.searches.curve(one.points[0].point.rank) for one in found.searches)
    return made | _of_studies(found)


def _of_studies(found: Findings) -> dict[str, pl.DataFrame]:
    made: dict[str, pl.DataFrame] = {}
    if found.choices is not None:
        made["choices"] = choices.rates_frame(found.choices, found.confidence_level)
        if len(found.choices.algorithms) > 1:
            made["choices_differences"] = choices.differences_frame(found.choices, 1, found.confidence_level)
    if found.trial_choices is not None:
        made["choices_trials"] = found.trial_choices
    if found.strat is not None:
        made["strat"] = _strat(found.strat)
    if found.feret is not None:
        made["feret"] = found.feret.to_frame()
        made["feret_cmc"] = found.feret.evaluation.curves_frame()
        if found.feret.told_of_participants:
            made["feret_participants"] = participants_frame(found.feret.participants)
        if found.feret.variation:
            made["feret_variation"] = feret.variation_frame(found.feret)
        if found.feret.consistency:
            made["feret_consistency"] = feret.consistency_frame(found.feret.consistency)
        if found.feret.orders:
            made["feret_orders"] = feret.orders_frame(found.feret.orders)
        if found.feret.sizes:
            made["feret_sizes"] = feret.sizes_frame(found.feret)
    if found.covariates is not None:
        made["covariates"] = rates_frame(found.covariates)
        made["covariates_differences"] = differences_frame(found.covariates)
        made["covariates_coefficients"] = coefficients_frame(found.covariates)
    if found.partition is not None:
        made["partition"] = found.partition.to_frame()
        made["partition_probes"] = found.partition.probes
    if found.classification is not None:
        made["accuracy"] = found.classification.to_frame()
        made["classes"] = found.classification.class_frame()
        made["confusions"] = found.classification.confusion_frame()
    if found.outcomes is not None:
        made["outcomes"] = found.outcomes.to_frame()
    if found.protocol is not None:
        made |= _protocol(found.protocol)
    if found.audits:
        made["audit"] = _joined(
            one.to_frame().insert_column(0, pl.lit(one.source).alias("splits")) for one in found.audits
        )
    if found.survey is not None:
        made["survey"] = found.survey.to_frame()
    if found.datasets is not None:
        made["datasets"] = found.datasets.to_frame()
        made["datasets_differences"] = found.datasets.differences_frame()
    return made


def _protocol(run: ProtocolRun) -> dict[str, pl.DataFrame]:
    """Accuracies under protocols; classes and confusions of each; and accuracies by size."""
    made = {
        "protocol": run.to_frame(),
        "protocol_classes": classes_frame(run),
        "protocol_confusions": confusions_frame(run),
    }
    return made | ({"protocol_sizes": sizes_frame(run.sizes)} if run.sizes else {})


def figures_of(found: Findings) -> dict[str, Figure]:
    """Draw every figure of a study, by name."""
    made: dict[str, Figure] = {}
    places = looks(found)
    if found.evaluation is not None:
        made["cmc"] = evaluation_figure(found.evaluation, places=places, relative=found.relative_ranks)
    drawn_anew = with_replicates(found.measured)
    if drawn_anew:
        made["measures_distributions"] = replicates_figure(drawn_anew)
    if found.verification:
        made |= verification_figures(found.verification, found.groups, places)
    if any(len(one.rates) > 1 for one in found.thresholds):
        made["thresholds"] = thresholds_figure(found.thresholds, places=places)
    if found.searches:
        rank = found.searches[0].points[0].point.rank
        made["search"] = searches_figure(found.searches, rank, places)
    if found.classification is not None:
        made["accuracy"] = classification_figure(found.classification)
    if found.outcomes is not None:
        made["outcomes"] = comparison_figure(found.outcomes)
    if found.protocol is not None:
        made["protocol_accuracy"] = accuracy_figure(found.protocol)
        if found.protocol.sizes:
            made["protocol_sizes"] = sizes_figure(found.protocol.sizes)
    if found.datasets is not None:
        made |= {f"datasets_{which}": datasets_figure(found.datasets, which) for which in FIGURES_OF_DATASETS}
    for before, drawn in (
        ("choices", found.choices and choices.figures_of(found.choices, found.confidence_level)),
        ("strat", found.strat and strat.study_figures(found.strat, relative=found.relative_ranks)),
        ("feret", found.feret and feret.study_figures(found.feret)),
        ("covariates", found.covariates and covariates_figures(found.covariates, places)),
        ("partition", found.partition and partition_figures(found.partition, places)),
    ):
        made |= {f"{before}_{name}": figure for name, figure in (drawn or {}).items()}
    return made


def _joined(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames, how="vertical_relaxed")


def _places(name: str, comparison: Comparison) -> pl.DataFrame:
    """One row for each algorithm, the best first: its value and the places it can hold."""
    places = comparison.places()
    return frame_of_rows(
        [
            {
                "comparison": name,
                "algorithm": one.facts.algorithm,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "best_place": places[one.facts.algorithm][0],
                "worst_place": places[one.facts.algorithm][1],
            }
            for one in comparison.ordered
        ]
    )


def _groups(one: Differential) -> pl.DataFrame:
    """One row for each group and error rate; a rate without comparisons is empty."""
    rows = []
    for group in one.groups:
        for name, rate in (("fnmr", group.fnmr), ("fmr", group.fmr)):
            rows.append(
                {
                    "algorithm": one.algorithm,
                    "column": one.column,
                    "threshold": one.threshold,
                    "group": group.group,
                    "subjects": group.n_subjects,
                    "measure": name,
                    "rate": None if rate is None else rate.rate,
                    "low": None if rate is None else rate.low,
                    "high": None if rate is None else rate.high,
                    "errors": None if rate is None else rate.errors,
                    "comparisons": None if rate is None else rate.n,
                    "supported": None if rate is None else rate.supported,
                }
            )
    return frame_of_rows(rows)


def _strat(study: StratStudy) -> pl.DataFrame:
    """One row for each algorithm, gallery and way of making galleries."""
    return frame_of_rows(
        [
            {
                "algorithm": effect.algorithm,
                "galleries": "mixed" if effect.mixed else "as they are",
                "gallery": place,
                f"rank_{study.rank}": one.value,
                "standard_error": one.standard_error,
                "low": one.low,
                "high": one.high,
                "p_galleries": effect.p_value,
            }
            for effect in (*study.effects, *study.mixed)
            for place, one in enumerate(effect.estimates, 1)
        ]
        + [
            {
                "algorithm": one.facts.algorithm,
                "galleries": "fixed",
                "gallery": 1,
                f"rank_{study.rank}": one.value,
                "standard_error": one.standard_error,
                "low": one.low,
                "high": one.high,
                "p_galleries": None,
            }
            for one in study.estimates
        ]
    )
