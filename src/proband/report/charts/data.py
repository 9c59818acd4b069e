"""The data of a chart as a table: one row per value shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from proband.report import columns as col
from proband.report.charts.spec import Axis, Chart, Curves, Errors, Histograms, Matrix, Rows
from proband.report.tables.table import Table

_FEW = "* based on too few errors or people (hollow in the chart)."
_TABLED = (1, 2, 5)  # and these times ten, a hundred, …: the ranks in a table of curves


class Point(NamedTuple):
    """A value: series, position, interval, and whether it is supported by enough data."""

    of: str
    at: str | float
    value: float
    ends: tuple[float, float] | None
    supported: bool = True


def data_of(chart: Chart) -> Table:
    """The data table of a chart: its own, or the values shown."""
    if chart.data is not None:
        return chart.data
    across, up = chart.axes[0]
    at, _ = col.measured(_unit(across))
    match chart.marks:
        case Rows() as rows:
            several = len(set(rows.names)) > 1 and set(rows.names) != set(rows.labels)
            return _table(
                chart, across, _of_rows(rows), col.name("series", lambda one: str(one.at), when=several)
            )
        case Curves() as curves:
            table = _table(chart, up, _of_curves(curves), at(across.label, lambda one: float(one.at)))
            what = "rates" if up.unit == "rate" else "values"
            return (
                replace(table, caption=f"{chart.title}: {what} at selected ranks") if curves.step else table
            )
        case Errors() as errors:
            return _table(chart, up, _of_errors(errors), at(across.label, lambda one: float(one.at)))
        case Histograms() as histograms:
            return _table(chart, across, _of_histograms(histograms))
        case Matrix() as matrix:
            return _of_matrix(chart, matrix)


def _table(chart: Chart, axis: Axis, points: Iterable[Point], *where: col.ColumnOf[Point]) -> Table:
    found = list(points)
    # A rate of errors is written as in tables of error rates, whatever its axis.
    value, ends = col.measured(axis.unit if isinstance(chart.marks, Errors) else _unit(axis))
    return col.table_of(
        chart.title,
        found,
        col.name("name", lambda one: one.of),
        *where,
        value(axis.label, lambda one: one.value, supported=lambda one: one.supported),
        ends("interval", lambda one: one.ends, answers=chart.answers),
        id=f"{chart.id}-data",
        notes=[] if all(one.supported for one in found) else [_FEW],
    )


def _unit(axis: Axis) -> col.Written:
    """How values on an axis are written: rates on a logarithmic one are small."""
    return "small" if axis.unit == "rate" and axis.kind != "linear" else axis.unit


def _of_rows(rows: Rows) -> Iterator[Point]:
    for one in sorted(rows.marks, key=lambda one: one.row):
        ends = None if one.single or one.low == one.high == one.value else (one.low, one.high)
        yield Point(rows.labels[one.row], rows.names[one.place], one.value, ends, one.supported)


def _of_curves(curves: Curves) -> Iterator[Point]:
    """The values of curves; for curves by rank, the values at selected ranks."""
    last = max(len(one.xs) for one in curves.series)
    ranks = {digit * 10**power for power in range(len(str(last))) for digit in _TABLED} | {last}
    for one in curves.series:
        for place, (x, y) in enumerate(zip(one.xs.tolist(), one.ys.tolist(), strict=True)):
            if not curves.step or place + 1 in ranks:
                ends = (float(one.low[place]), float(one.high[place])) if place < len(one.low) else None
                yield Point(one.name, x, y, ends)


def _of_errors(errors: Errors) -> Iterator[Point]:
    """Marked points, and points with intervals."""
    for curve, dots in zip(errors.curves, errors.dots, strict=True):
        found = {x: Point(curve.name, x, errors.shown(y), None, curve.reaches(x, y)) for x, y in dots}
        for at, low, high, supported in curve.limits():
            y = found[at].value if at in found else errors.shown(curve.fnmr_at(at))
            found[at] = Point(curve.name, at, y, (low, high), supported)
        yield from (point for _, point in sorted(found.items()))


def _of_histograms(histograms: Histograms) -> Iterator[Point]:
    for one in histograms.outlines:
        if one.value is not None:
            value, low, high = one.value
            yield Point(one.name, "", value, (low, high))


def _of_matrix(chart: Chart, matrix: Matrix) -> Table:
    """The cells themselves."""
    across, up = chart.axes[0]

    def column(place: int) -> col.ColumnOf[int]:
        return col.text(matrix.labels[place], lambda row: matrix.texts[row][place], kind="number")

    places = range(len(matrix.labels))
    return col.table_of(
        chart.title,
        places,
        col.name(f"{up.label} \\ {across.label}", lambda row: matrix.labels[row]),
        *map(column, places),
        id=f"{chart.id}-data",
    )
