"""Views of probes divided by difficulty: rates on parts made without an algorithm, and the selection effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from proband.inference.covariates.difficulty import Partition
from proband.report import columns as col
from proband.report.charts.makers.rows import Valued, around, difference_label, rows_chart, values
from proband.report.charts.spec import Chart, Mark, Rows, listed
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import View, shows
from proband.words import Note, Sentence, count, counted, fixed, level

_DIVIDED = Sentence(
    "methods.partition",
    "note",
    "Probes were divided into {parts:count part} by similarity to their mates; every algorithm is evaluated on parts made without it",
)


@shows(Partition)
class PartitionView(View[Partition]):
    """Rates by difficulty and the selection effect: one row per algorithm and part."""

    section = ("partition", "Difficulty", 46)
    meaning = "How the parts were made"

    def tables(self, found: Partition) -> Sequence[Table]:
        return [_rates(found)]

    def charts(self, found: Partition) -> Mapping[str, Sequence[Chart]]:
        return {"partition_rates": [_parts(found)], "partition_selection": [_selection(found)]}

    def notes(self, found: Partition) -> Sequence[Note]:
        return [*found.notes, answered(found.answers)]

    def frames(self, found: Partition) -> Mapping[str, pl.DataFrame]:
        return {"partition": found.to_frame(), "partition_probes": found.probes}

    def methods(self, found: Partition, text: MethodsText, scene: Scene) -> None:
        text.say(_DIVIDED(parts=len(found.parts)), "phillips2011")


def _rates(found: Partition) -> Table:
    """Every algorithm on every part, with what selection does."""
    part = col.at_level(found.confidence_level)
    alone = found.n_probes - sum(
        one.rests_on.n for one in found.rates if one.algorithm == found.algorithms[0]
    )
    left_out = f"; rates leave out {count(alone)} of people with one probe" if alone else ""
    return col.table_of(
        f"{counted(found.n_probes, 'probe')} of {counted(found.n_people, 'person', 'people')} by difficulty{left_out}",
        found.judged,
        col.name("algorithm", lambda row: row.rate.algorithm),
        col.name("part", lambda row: row.rate.who.group),
        col.rate("rate", lambda row: row.rate.value, "On the part made without it."),
        col.interval(part, lambda row: (row.rate.low, row.rate.high), answers=found.answers),
        col.count("probes", lambda row: row.rate.rests_on.n),
        col.rate("naive rate", lambda row: row.naive.value, "On the part it helped to make."),
        col.effect("selection", lambda row: row.selection.value, "Naive rate minus rate.", unit="points"),
        col.effect_interval(
            f"selection, {part}",
            lambda row: (row.selection.low, row.selection.high),
            unit="points",
            answers=found.answers,
        ),
        col.p("p", lambda row: row.selection.p_value),
        id="partition-table",
    )


def _parts(found: Partition) -> Chart:
    """The rates of every algorithm on every part made without it."""
    names = found.algorithms
    marks = [
        Mark(found.parts.index(rate.who.group), names.index(rate.algorithm), rate.value, rate.low, rate.high)
        for rate in found.rates
    ]
    told = [
        f"{row.rate.algorithm}, {row.rate.who.group}: {fixed(row.rate.value)}, naive {fixed(row.naive.value)}"
        for row in found.judged
    ]
    part = level(found.confidence_level)
    return rows_chart(
        "partition-rates",
        "Rates by difficulty",
        f"{listed(told)}.",
        Rows(found.parts, names, tuple(marks)),
        [around(marks, "rate", str(found.answers.of))],
        names=names if len(names) > 1 else (),
        notes=(f"Bars: {part} intervals over people, on parts made without the algorithm.",),
        answers=found.answers,
        confidence_level=found.confidence_level,
        see="All parts contain the same number of probes; the easiest is at the top.",
    )


def _selection(found: Partition) -> Chart:
    """The naive rate of each algorithm and part less that on parts made without it."""
    return values(
        [
            Valued(f"{pair.who.algorithm}, {pair.who.group}", pair.value, pair.low, pair.high)
            for pair in found.selection
        ],
        difference_label(True),
        "points",
        found.confidence_level,
        id="partition-selection",
        title="Selection effect",
        notes=("Naive rate minus the rate on parts made without the algorithm.",),
        answers=found.answers,
        see="Left of zero: the algorithm looks worse only because its own errors shaped the part.",
    )
