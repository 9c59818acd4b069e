"""Tables of the effect of mixing subjects, and of what single runs show."""

from __future__ import annotations

from proband import words
from proband.protocols.running.mixing import MixingDrop
from proband.protocols.running.results import ProtocolRun
from proband.report.tables.cells import (
    columns,
    count_cell,
    effect_cell,
    effect_interval_cell,
    empty_cell,
    text_cell,
)
from proband.report.tables.table import Cell, Column, Table


def mixing_tables(run: ProtocolRun) -> list[Table]:
    """The drop from mixed to disjoint protocols, and what single runs show, if available."""
    return [
        *([drops_table(run)] if run.drops else []),
        *([single_runs_table(run)] if run.single_runs else []),
    ]


def drops_table(run: ProtocolRun) -> Table:
    """Drop in accuracy of each classifier with disjoint subjects, and how often single runs show the reverse."""
    level = words.level(run.setting.confidence_level)
    rows = tuple(
        (
            text_cell(drop.classifier),
            text_cell(drop.mixed),
            text_cell(drop.disjoint),
            effect_cell(drop.difference.value),
            _ends(drop),
            _share(drop.reversed_runs),
        )
        for drop in run.drops
    )
    heads = (
        *columns("classifier", "mixed", "disjoint", text=3),
        Column(
            "drop", "number", "Pooled estimate under the mixed protocol minus that under the disjoint one."
        ),
        Column(
            f"{level} interval",
            "interval",
            "People vary, the same on both sides; the fitted models are fixed.",
        ),
        Column(
            "reversed",
            "number",
            "Share of pairs of runs, one of each protocol, whose difference has the opposite sign.",
        ),
    )
    return Table(
        "Drop from mixed to disjoint (points; reversed: share of pairs of single runs)",
        heads,
        rows,
        id="protocol-drops",
    )


def single_runs_table(run: ProtocolRun) -> Table:
    """What single runs show for every pair of classifiers, under each protocol."""
    rows = tuple(
        (
            text_cell(order.protocol),
            text_cell(order.better),
            text_cell(order.worse),
            effect_cell(order.gap),
            count_cell(order.n_runs),
            _share(order.same_split),
            _share(order.other_split),
        )
        for order in run.single_runs
    )
    heads = (
        *columns("protocol", "ahead by mean", "behind", text=3),
        Column("by", "number", "Difference of the means over runs, in points."),
        Column(
            "runs",
            "number",
            "Hold-outs or whole cross-validations; for a single cross-validation, its folds.",
        ),
        Column(
            "reversed, same split",
            "number",
            "Share of runs in which the classifier that is behind on average is ahead.",
        ),
        Column(
            "other split",
            "number",
            "Share of pairs of runs on different splits in which the classifier that is behind on average is ahead.",
        ),
    )
    return Table(
        "Single runs: how often the order of two classifiers reverses", heads, rows, id="protocol-single-runs"
    )


def _ends(drop: MixingDrop) -> Cell:
    change = drop.difference
    if not change.has_interval:
        return Cell("none")
    return effect_interval_cell(change.low, change.high, answers=drop.answers)


def _share(value: float | None) -> Cell:
    return empty_cell() if value is None else Cell(words.percent(value, 1), value)
