"""Charts of values with their intervals, a row each, with their tables: algorithms, pairs, galleries and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.inference.comparisons.comparison import Standings
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.galleries.participants import Panel
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.verification.groups import Differential
from proband.measures.verification import SUPPORTED
from proband.report.cells import (
    columns,
    interval_cell,
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
from proband.report.charts.svg.drawing import shortened
from proband.report.page.charts import shown
from proband.report.page.model import Chart
from proband.report.table import Cell, Table
from proband.results.base import Answers
from proband.results.difference import Difference

_HALF = 11  # letters of each name of a pair


def forest_chart(
    comparison: Standings, drawn: Sequence[Difference], data: Table, id: str, title: str
) -> Chart:
    """Draw paired differences with their intervals; their table is that of all that was found of them."""
    labels = [f"{shortened(one.first, _HALF)} − {shortened(one.second, _HALF)}" for one in drawn]
    chart = makers.forest(comparison, drawn, id, title, labels)
    return shown(chart, data)


def galleries_chart(
    variation: GalleryVariation,
    id: str = "galleries",
    title: str = "Rates in galleries of different people",
    places: Mapping[str, int] | None = None,
    panels: Sequence[Panel] = (),
) -> Chart:
    """Draw every algorithm's rates over galleries, a row each."""
    rows = [
        (
            text_cell(cell.algorithm),
            text_cell(f"gallery {cell.gallery}"),
            rate_cell(cell.rate),
            interval_cell(cell.interval, variation.answers),
        )
        for name in variation.algorithms
        for cell in variation.of(name)
    ]
    return _by_gallery(makers.galleries(variation, id, title, panels), rows, places)


def gallery_effect_chart(
    effects: Sequence[GalleryEffect],
    id: str = "gallery-effect-chart",
    title: str = "Rates with each image as the gallery",
    places: Mapping[str, int] | None = None,
) -> Chart:
    """Draw every algorithm's rates with each column of images as the gallery in turn, a row each."""
    rows = [
        (
            text_cell(found.algorithm),
            text_cell(f"gallery {place}"),
            rate_cell(one.value),
            interval_cell((one.low, one.high), one.answers),
        )
        for found in effects
        for place, one in enumerate(found.estimates, 1)
    ]
    return _by_gallery(makers.gallery_effect(effects, id, title), rows, places)


def _by_gallery(
    chart: spec.Chart, rows: Sequence[tuple[Cell, ...]], places: Mapping[str, int] | None
) -> Chart:
    heads = columns("algorithm", "gallery", chart.axes[0][0].label, "interval", text=2)
    return shown(chart, table(f"{chart.id}-data", chart.title, heads, rows), places)


def groups_chart(
    found: Sequence[Differential],
    which: ErrorRate,
    answers: Answers,
    id: str = "groups-chart",
    places: Mapping[str, int] | None = None,
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
    return shown(chart, table(f"{id}-data", chart.title, heads, rows, notes), places)
