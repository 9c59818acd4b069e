"""Results as notebooks show them: small tables with what belongs beneath them, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from proband.engine.rendering import renders
from proband.errors import UsageError
from proband.inference import (
    Band,
    Classification,
    Comparison,
    DatasetComparison,
    DeployedThreshold,
    DeployedThresholds,
    Estimate,
    Evaluation,
    Gate,
    OutcomeComparison,
    VirtualExperiments,
)
from proband.inference.comparisons.mcnemar_table import McNemarTable
from proband.inference.covariates.difficulty import Partition
from proband.inference.covariates.results import CovariateStudy
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.strata.study import StratStudy
from proband.inference.survey import SurveyEstimates
from proband.inference.verification.groups import Differential
from proband.inference.verification.open_set import SearchEstimates
from proband.inference.verification.several import Verifications
from proband.inference.verification.verification import Verification
from proband.measures import Curve
from proband.protocols.running.results import ProtocolRun
from proband.report.analyses import (
    choices,
    classification,
    comparisons,
    covariates,
    datasets,
    evaluation,
    feret,
    feret_statements,
    gates,
    mcnemar,
    protocols,
    strat,
    survey,
    thresholds,
    verification,
)
from proband.report.cells import (
    columns,
    count_cell,
    digits_cell,
    empty_cell,
    interval_cell,
    over,
    rate_cell,
    share_cell,
    text_cell,
)
from proband.report.figures.classification import classification_figure
from proband.report.figures.covariates import covariates_figure, partition_figure
from proband.report.figures.datasets import datasets_figure
from proband.report.figures.identification import (
    cmc_figure,
    comparison_figure,
    estimate_figure,
    evaluation_figure,
    mcnemar_figure,
)
from proband.report.figures.protocols import accuracy_figure
from proband.report.figures.survey import survey_figure
from proband.report.figures.verification import differential_figure, searches_figure, thresholds_figure
from proband.report.notes import answered
from proband.report.plotting import alone, drawn_by, draws
from proband.report.table import Cell, Column, Table
from proband.words import Note, as_sentence, level

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RANKS = (1, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class View:
    """How results of a kind are shown.

    Attributes
    ----------
    tables
        Their tables.
    said
        What belongs beneath them, a note each.
    figure
        Draws them; takes the options of `plot`.
    """

    tables: Callable[[Any], Sequence[Table]]
    said: Callable[[Any], Sequence[Note]]
    figure: Callable[..., Figure]


def show(kind: type, view: View) -> None:
    """Register how results of a kind are shown."""

    def tables(result: object) -> list[Table]:
        *before, last = view.tables(result)
        return [*before, replace(last, notes=(*last.notes, *map(as_sentence, view.said(result))))]

    renders(kind, "table")(tables)
    draws(kind, view.figure)


@renders(object, "table")
def frame_tables(result: Any) -> list[Table]:
    """Make a table of a result's frame, for results that have none of their own."""
    if not hasattr(result, "to_frame"):
        raise UsageError(f"There is no table of a {type(result).__name__}.")
    frame: pl.DataFrame = result.to_frame()
    heads: list[Column] = []
    for name, kind in frame.schema.items():
        leading = all(one.kind == "name" for one in heads)
        heads.append(Column(name, "number" if kind.is_numeric() else "name" if leading else "text"))
    return [Table("", tuple(heads), tuple(tuple(map(_plain_cell, row)) for row in frame.rows()))]


def _plain_cell(value: object) -> Cell:
    match value:
        case None:
            return empty_cell()
        case bool():
            return text_cell("yes" if value else "no")
        case int():
            return count_cell(value)
        case float():
            return digits_cell(value, 6)
        case _:
            return text_cell(str(value))


def _picked(figures: dict[str, Figure], which: str) -> Figure:
    if which not in figures:
        raise UsageError(f"There is no figure {which!r}.", f"there are: {', '.join(figures)}.")
    return figures[which]


def _estimate_table(one: Estimate) -> Table:
    n = one.facts.n_probes
    heads = columns(
        "algorithm",
        str(one.answers.of),
        f"{level(one.confidence_level)} interval",
        "standard error",
        "events",
    )
    cells = (
        text_cell(one.facts.algorithm),
        rate_cell(one.value),
        interval_cell((one.low, one.high), one.answers),
        rate_cell(one.standard_error),
        count_cell(n) if one.events is None else share_cell(one.events, n),
    )
    return Table("", heads, (cells,))


def _curve_table(curve: Curve | Band) -> Table:
    shown = [rank for rank in _RANKS if rank <= len(curve.values)]
    facts = curve.facts
    cells = (
        text_cell(facts.algorithm),
        *(_rate_at(curve, rank) for rank in shown),
        count_cell(facts.n_probes),
        count_cell(facts.n_gallery_subjects),
    )
    return Table("", columns("algorithm", *(f"rank {rank}" for rank in shown), "probes", "gallery"), (cells,))


def _rate_at(curve: Curve | Band, rank: int) -> Cell:
    rate = rate_cell(curve.at(rank))
    if not isinstance(curve, Band):
        return rate
    ends = (float(curve.low[rank - 1]), float(curve.high[rank - 1]))
    return over(rate, interval_cell(ends, curve.answers))


def _one_of(figures: Callable[[Any], dict[str, Figure]], first: str) -> Callable[..., Figure]:
    def draw(result: Any, which: str = first) -> Figure:
        return _picked(figures(result), which)

    return draw


show(
    Evaluation,
    View(
        evaluation.evaluation_tables,
        evaluation.statements,
        evaluation_figure,
    ),
)
for _compared in (Comparison, OutcomeComparison):
    show(
        _compared,
        View(
            lambda result: [comparisons.comparison_table(result)],
            lambda result: [*result.sentences(), *comparisons.comparison_statements(result)],
            comparison_figure,
        ),
    )
show(
    Classification,
    View(
        classification.classification_tables,
        lambda result: [*result.sentences(), *classification.classification_statements(result)],
        classification_figure,
    ),
)
show(
    McNemarTable,
    View(lambda result: [mcnemar.mcnemar_rows(result)], mcnemar.mcnemar_statements, mcnemar_figure),
)
show(
    DatasetComparison,
    View(datasets.datasets_tables, datasets.datasets_statements, datasets_figure),
)
show(
    Gate,
    View(
        lambda result: [gates.gate_table(result)],
        gates.gate_statements,
        drawn_by(comparison_figure, lambda result: result.comparison),
    ),
)
show(
    Estimate,
    View(
        lambda result: [_estimate_table(result)],
        lambda result: [answered(result.answers), *result.notes],
        estimate_figure,
    ),
)
for _kind in (Band, Curve):
    show(
        _kind,
        View(
            lambda result: [_curve_table(result)],
            lambda result: [answered(result.answers)],
            drawn_by(cmc_figure, lambda result: {result.facts.algorithm: [result]}),
        ),
    )
show(
    Verification,
    View(
        lambda result: [verification.verification_table([result])],
        lambda result: verification.verification_statements([result]),
        _one_of(lambda result: verification.verification_figures([result]), "det"),
    ),
)
show(
    Verifications,
    View(
        lambda result: [verification.verification_table(result.found)],
        lambda result: verification.verification_statements(result.found),
        _one_of(lambda result: verification.verification_figures(result.found), "det"),
    ),
)
show(
    DeployedThresholds,
    View(
        lambda result: [thresholds.thresholds_table(result.found)],
        lambda result: thresholds.thresholds_statements(result.found),
        drawn_by(thresholds_figure, lambda result: result.found),
    ),
)
show(
    DeployedThreshold,
    View(
        lambda result: [thresholds.thresholds_table([result])],
        lambda result: thresholds.thresholds_statements([result]),
        drawn_by(thresholds_figure, alone),
    ),
)
show(
    SearchEstimates,
    View(
        lambda result: [verification.search_table([result])],
        lambda result: verification.search_statements([result]),
        drawn_by(searches_figure, alone),
    ),
)
show(
    Differential,
    View(
        lambda result: [verification.groups_table(result)],
        lambda result: result.sentences(),
        differential_figure,
    ),
)
show(
    VirtualExperiments,
    View(choices.choices_tables, choices.choices_statements, _one_of(choices.figures_of, "distributions")),
)
show(
    CovariateStudy,
    View(covariates.study_tables, covariates.study_statements, covariates_figure),
)
show(
    Partition,
    View(
        lambda result: [covariates.partition_table(result)],
        covariates.partition_statements,
        partition_figure,
    ),
)
show(
    StratStudy,
    View(
        strat.study_tables,
        strat.study_statements,
        _one_of(strat.study_figures, "galleries"),
    ),
)
show(SurveyEstimates, View(survey.survey_tables, survey.survey_statements, survey_figure))
show(
    FeretStudy,
    View(feret.study_tables, feret_statements.study_statements, _one_of(feret.study_figures, "cmc")),
)
show(
    ProtocolRun,
    View(
        protocols.run_tables,
        protocols.run_statements,
        accuracy_figure,
    ),
)
