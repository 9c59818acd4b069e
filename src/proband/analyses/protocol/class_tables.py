"""Tables of a run under protocols: the EPD verdict, classes and confusions, and accuracy by size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from proband import words
from proband.analyses.classification.tables import (
    MOST_CLASSES,
    classes_table,
    confusion_tables,
)
from proband.protocols.running.factors import SizeEffect
from proband.protocols.running.results import ProtocolFindings, ProtocolRun
from proband.report.charts.makers.errors import number_range
from proband.report.tables.cells import columns, count_cell, empty_cell, fixed_cell, text_cell
from proband.report.tables.table import Cell, Column, Ends, Table, Tone
from proband.results.estimate import Estimate

_HARDEST = 10
_QUESTIONS = "E: subjects are disjoint wherever possible. P: repeated cross-validation. D: unused samples are accounted for."


def epd_table(run: ProtocolRun) -> Table:
    """The EPD verdict of each protocol, and why."""
    rows = []
    for found in run.findings:
        parts = (found.epd.experiments, found.epd.protocol, found.epd.data)
        for letter, one in zip(("E", "P", "D"), parts, strict=True):
            tone: Tone = "good" if one.answer in ("yes", "stated") else "bad"
            why = "; ".join(map(str, one.reasons))
            name = text_cell(str(found.protocol))
            rows.append((name, text_cell(letter), text_cell(one.answer, tone), text_cell(why)))
    heads = (
        Column("protocol", "name"),
        Column("question", "name", _QUESTIONS),
        Column("verdict"),
        Column("because"),
    )
    return Table("EPD verdict", heads, tuple(rows), rules=tuple(range(3, len(rows), 3)))


def class_tables(found: ProtocolFindings) -> list[Table]:
    """Classes and confusions of every classifier under one protocol, as a matrix if small enough."""
    made = found.classification
    hardest = None if len(made.classes) <= MOST_CLASSES else _HARDEST
    tables = [classes_table(made, hardest), *confusion_tables(made, _HARDEST)]
    return [replace(one, caption=f"{one.caption}, {found.protocol}") for one in tables if one.rows]


def classes_frame(run: ProtocolRun) -> pl.DataFrame:
    """A row for each protocol, classifier and class."""
    return _by_protocol(run, [one.classification.class_frame() for one in run.findings])


def confusions_frame(run: ProtocolRun) -> pl.DataFrame:
    """One row per protocol, classifier and observed pair of classes."""
    return _by_protocol(run, [one.classification.confusion_frame() for one in run.findings])


def _by_protocol(run: ProtocolRun, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    named = (
        frame.insert_column(0, pl.lit(str(one.protocol)).alias("protocol"))
        for frame, one in zip(frames, run.findings, strict=True)
    )
    return pl.concat(named, how="vertical_relaxed")


def sizes_table(effects: Sequence[SizeEffect]) -> Table:
    """Accuracy by number of subjects and of images per subject."""
    rows = tuple(
        (
            text_cell(one.classifier),
            text_cell(one.protocol),
            count_cell(one.n_subjects),
            empty_cell() if one.images_each is None else count_cell(one.images_each),
            text_cell(number_range(one.n_samples)),
            fixed_cell(100 * one.accuracy.value),
            _ends(one.accuracy),
            fixed_cell(None if one.std is None else 100 * one.std),
        )
        for one in effects
    )
    heads = (
        *columns("classifier", "protocol", "subjects", "images each", text=2),
        Column("samples", "number"),
        Column("accuracy", "number", "Mean over draws."),
        Column(f"{words.level(effects[0].accuracy.confidence_level)} interval", "interval"),
        Column("sd of draws", "number"),
    )
    return Table("Accuracy by size (%)", heads, rows)


def _ends(accuracy: Estimate) -> Cell:
    if not accuracy.has_interval:
        return Cell("none")
    ends = Ends(100 * accuracy.low, 100 * accuracy.high)
    return Cell(words.interval(*ends, 2), ends, answers=accuracy.answers)
