"""Charts of the page: each drawn as SVG, with its data as a table."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from proband.report import columns as col
from proband.report.charts import spec
from proband.report.charts.palette import is_grey
from proband.report.charts.svg.drawing import drawings
from proband.report.page.model import Chart
from proband.report.table import Table
from proband.words import count

_GREY = "Grey: the other {n} algorithms, named where there is room; pointing at a curve reads it."
_FEW = "* too little is behind it."
_TABLED = (1, 2, 5)  # and these times ten, a hundred, …: the ranks in a table of curves


def shown(chart: spec.Chart, data: Table | None = None, places: Mapping[str, int] | None = None) -> Chart:
    """A chart as the page holds it, every algorithm in the look it has in all charts, with its numbers as a table."""
    data = data or chart.data or data_of(chart)
    chart = spec.in_places(chart, places or {})
    marks = chart.marks
    order = [one.place for one in marks.series] if isinstance(marks, spec.Curves) else None
    looks = [chart.place(n) for n in range(len(chart.names))] if order is None else order
    n_grey = sum(map(is_grey, looks))
    notes = (*chart.notes, _GREY.format(n=count(n_grey))) if n_grey else chart.notes
    return Chart(
        chart.id,
        chart.title,
        chart.see,
        drawings(chart),
        tuple(zip(chart.names, looks, strict=True)),
        data,
        notes,
        chart.answers,
    )


class Point(NamedTuple):
    """A value that can be read in a chart: of what, where, its interval, and whether enough is behind it."""

    of: str
    at: str | float
    value: float
    ends: tuple[float, float] | None
    supported: bool = True


def data_of(chart: spec.Chart) -> Table:
    """The numbers of a chart as a table, a row for each value that can be read in it."""
    across, up = chart.axes[0]
    match chart.marks:
        case spec.Rows() as rows:
            several = len(set(rows.names)) > 1 and set(rows.names) != set(rows.labels)
            return _table(
                chart, across, _of_rows(rows), col.name("series", lambda one: str(one.at), when=several)
            )
        case spec.Curves() as curves:
            number, _ = col.measured(across.unit)
            return _table(chart, up, _of_curves(curves), number(across.label, lambda one: float(one.at)))
        case spec.Histograms() as histograms:
            return _table(chart, across, _of_histograms(histograms))
        case spec.Errors() | spec.Concentrations():
            raise AssertionError(f"{chart.id} has data of its own")


def _table(chart: spec.Chart, axis: spec.Axis, points: Iterator[Point], *where: col.ColumnOf[Point]) -> Table:
    found = list(points)
    value, ends = col.measured("small" if axis.kind == "log" else axis.unit)
    few = not all(one.supported for one in found)
    return col.table_of(
        chart.title,
        found,
        col.name("of", lambda one: one.of),
        *where,
        value(axis.label, lambda one: one.value, supported=lambda one: one.supported),
        ends("interval", lambda one: one.ends, answers=chart.answers),
        id=f"{chart.id}-data",
        notes=[_FEW] if few else [],
    )


def _of_rows(rows: spec.Rows) -> Iterator[Point]:
    for one in sorted(rows.marks, key=lambda one: one.row):
        ends = None if one.single or one.low == one.high == one.value else (one.low, one.high)
        yield Point(rows.labels[one.row], rows.names[one.place], one.value, ends, one.supported)


def _of_curves(curves: spec.Curves) -> Iterator[Point]:
    """The values of curves; of curves by rank those at some ranks."""
    last = max(len(one.xs) for one in curves.series)
    ranks = {digit * 10**power for power in range(len(str(last))) for digit in _TABLED} | {last}
    for one in curves.series:
        for place, (x, y) in enumerate(zip(one.xs.tolist(), one.ys.tolist(), strict=True)):
            if not curves.step or place + 1 in ranks:
                ends = (float(one.low[place]), float(one.high[place])) if place < len(one.low) else None
                yield Point(one.name, x, y, ends)


def _of_histograms(histograms: spec.Histograms) -> Iterator[Point]:
    for one in histograms.outlines:
        if one.value is not None:
            value, low, high = one.value
            yield Point(one.name, "", value, (low, high))
