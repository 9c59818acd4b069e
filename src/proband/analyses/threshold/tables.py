"""Thresholds to deploy as people read them: a table, and what belongs beneath it."""

from __future__ import annotations

from collections.abc import Sequence

from proband.inference.verification.results import VerificationPoint
from proband.inference.verification.thresholds.results import DeployedThreshold, DeployedThresholds
from proband.measures.verification import SUPPORTED
from proband.report.cells import (
    columns,
    empty_cell,
    given_cell,
    interval_cell,
    rate_cell,
    small_cell,
    text_cell,
    threshold_cell,
    unsupported,
)
from proband.report.notes import answered
from proband.report.notes_of_rates import UNSUPPORTED
from proband.report.table import Cell, Column, Table
from proband.results.compared import metrics_statement
from proband.words import Note, level


def thresholds_table(found: Sequence[DeployedThreshold]) -> Table:
    """A row for each algorithm, rate and grade: the plain threshold, and those with a confidence for new people."""
    part = level(found[0].confidence_level)
    heads = (
        Column("algorithm", "name"),
        Column("target FMR", "number", "The false match rate to keep.", leads=True),
        Column("confidence", "name", "How sure it is that new people are within the target."),
        *columns("threshold", "FMR", "FNMR", text=0),
        Column(f"{part} interval", "interval", "Of FNMR, at the threshold held fixed."),
    )
    return Table("", heads, tuple(row for one in found for row in _rows(one)))


def _rows(one: DeployedThreshold) -> list[tuple[Cell, ...]]:
    sure = level(one.confidence_level)
    names = {"plain": "none", "sure": sure, "distribution-free": f"{sure}, any scores"}
    return [
        (text_cell(one.algorithm), given_cell(one.asked), text_cell(names[grade]), *_cells(point, one))
        for grade, point in one.graded.items()
        if point is not None or grade == "sure"
    ]


def _cells(found: VerificationPoint | None, one: DeployedThreshold) -> tuple[Cell, ...]:
    if found is None:
        return (empty_cell(),) * 4
    point = found.point
    return (
        threshold_cell(point.threshold),
        small_cell(point.fmr, point.fmr_supported),
        rate_cell(point.fnmr, unsupported(point.fnmr_supported)),
        interval_cell((found.fnmr.low, found.fnmr.high), one.answers),
    )


def starred(found: Sequence[DeployedThreshold]) -> list[Note]:
    """What the asterisk of a table means, where it has one."""
    points = [one.point for each in found for one in each.graded.values() if one is not None]
    few = any(not (one.fmr_supported and one.fnmr_supported) for one in points)
    return [UNSUPPORTED(least=SUPPORTED)] if few else []


def thresholds_statements(found: Sequence[DeployedThreshold]) -> list[Note]:
    """Everything a reader should know of thresholds: what each means for new people first."""
    said = [
        *(note for one in found for note in one.deployed()),
        *DeployedThresholds(tuple(found)).sentences(),
    ]
    about = [one.compared.statement() for one in found]
    metric = metrics_statement((one.algorithm, one.compared.metric) for one in found)
    notes = [note for one in found for note in one.notes]
    said += starred(found)
    return list(dict.fromkeys([*said, *about, metric, answered(found[0].answers), *notes]))
