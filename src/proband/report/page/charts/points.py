"""Charts of values with their intervals, a row each, with their tables: algorithms, pairs, galleries and groups."""

from __future__ import annotations

from collections.abc import Sequence

from proband.inference.comparisons.comparison import Standings
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.verification.groups import Differential
from proband.measures.verification import SUPPORTED
from proband.report.cells import (
    columns,
    effect_cell,
    effect_interval_cell,
    interval_cell,
    p_cell,
    rate_cell,
    share_cell,
    small_cell,
    small_interval_cell,
    table,
    text_cell,
)
from proband.report.charts import spec
from proband.report.charts.makers import rows as makers
from proband.report.charts.makers.rows import ErrorRate
from proband.report.charts.spec import Rows
from proband.report.charts.svg.drawing import shortened
from proband.report.page.charts import shown
from proband.report.page.model import Chart
from proband.report.table import Column
from proband.results.base import Answers
from proband.results.difference import Difference

_HALF = 11  # letters of each name of a pair


def leaderboard_chart(comparison: Standings, id: str = "leaderboard-chart") -> Chart:
    """Draw every algorithm's estimate with its interval, the best first."""
    in_points = all(pair.in_points for pair in comparison.pairs)
    names = [one.facts.algorithm for one in comparison.estimates]
    chart = makers.leaderboard(comparison.ordered, id, order=names, in_points=in_points)
    rows = [
        (
            text_cell(one.facts.algorithm),
            rate_cell(one.value),
            interval_cell((one.low, one.high), one.answers),
        )
        for one in comparison.ordered
    ]
    heads = columns("algorithm", str(comparison.estimates[0].answers.of), "interval")
    return shown(chart, table(f"{id}-data", chart.title, heads, rows))


def forest_chart(
    comparison: Standings,
    pairs: Sequence[Difference] | None = None,
    id: str = "forest",
    title: str = "Differences between algorithms",
) -> Chart:
    """Draw paired differences with their intervals, of all pairs or of those given."""
    drawn = comparison.pairs if pairs is None else tuple(pairs)
    labels = [f"{shortened(one.first, _HALF)} − {shortened(one.second, _HALF)}" for one in drawn]
    chart = makers.forest(comparison, drawn, id, title, labels)
    in_points = drawn[0].in_points
    rows = [
        (
            text_cell(one.first),
            text_cell(one.second),
            effect_cell(one.difference, in_points),
            effect_interval_cell(one.low, one.high, in_points, comparison.answers),
            p_cell(one.p_adjusted, one.method, len(comparison.pairs)),
            text_cell(one.verdict),
        )
        for one in drawn
    ]
    label = makers.difference_label(in_points)
    heads = (*columns("first", "second", label, "interval", "adjusted p", text=2), Column("verdict"))
    return shown(chart, table(f"{id}-data", title, heads, rows))


def galleries_chart(
    variation: GalleryVariation, id: str = "galleries", algorithms: Sequence[str] | None = None
) -> Chart:
    """Draw every algorithm's rate in every gallery, with its interval."""
    return _by_gallery(makers.galleries(variation, id, algorithms))


def gallery_effect_chart(
    effects: Sequence[GalleryEffect],
    id: str = "gallery-effect-chart",
    title: str = "Rates with each image as the gallery",
) -> Chart:
    """Draw every algorithm's rate with each column of images as the gallery in turn."""
    return _by_gallery(makers.gallery_effect(effects, id, title))


def _by_gallery(chart: spec.Chart) -> Chart:
    marks = chart.marks
    assert isinstance(marks, Rows)
    assert chart.answers is not None
    rows = [
        (
            text_cell(marks.labels[one.row]),
            text_cell(marks.names[one.place]),
            rate_cell(one.value),
            interval_cell((one.low, one.high), chart.answers),
        )
        for one in sorted(marks.marks, key=lambda mark: (mark.row, mark.place))
    ]
    heads = columns("gallery", "algorithm", chart.axes[0][0].label, "interval", text=2)
    return shown(chart, table(f"{chart.id}-data", chart.title, heads, rows))


def groups_chart(
    found: Sequence[Differential], which: ErrorRate, answers: Answers, id: str = "groups-chart"
) -> Chart:
    """Draw one error rate of every group of people, for several algorithms, each at one threshold for all groups."""
    chart = makers.groups(found, which, answers, id)
    groups, rates = makers.rates_by_group(found, which)
    rows = [
        (
            text_cell(groups[row]),
            text_cell(found[place].algorithm),
            small_cell(one.rate, one.supported),
            small_interval_cell(one.low, one.high, answers),
            share_cell(one.errors, one.n),
        )
        for row, place, one in sorted(rates, key=lambda each: each[:2])
    ]
    heads = columns("group", "algorithm", which.upper(), "interval", "errors", text=2)
    notes = (f"* rests on fewer than {SUPPORTED} errors.",)
    return shown(chart, table(f"{id}-data", chart.title, heads, rows, notes))
