"""Specification of a chart, independent of the backend: axes, marks and text.

A chart is made once from a result, by the makers in this package, and drawn by two backends: `svg` for the page and `mpl` for
print. Several charts in one figure are its panels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from proband.errors import UsageError
from proband.report.charts.error_curves import ErrorCurve
from proband.report.charts.scales import AxisScale, Floats, Kind, Unit
from proband.report.tables.table import Table
from proband.results.base import Answers
from proband.words import count

T = TypeVar("T")
Rate = TypeVar("Rate", float, Floats)
_LISTED = 6


@dataclass(frozen=True)
class Axis:
    """An axis: limits, scale and label.

    Attributes
    ----------
    low, high
        Limits in data.
    unit
        Unit: rates in per cent, differences in percentage points, whole numbers, or numbers.
    """

    label: str
    kind: Kind
    low: float
    high: float
    unit: Unit

    def ends_before(self, value: float) -> bool:
        """Whether a value lies beyond its upper end, by more than rounding."""
        return value - self.high > 1e-9 * abs(self.high - self.low)

    def over(self, start: float = 0.0, end: float = 1.0) -> AxisScale:
        """The same axis between two places of a drawing; by default places are shares of its length."""
        return AxisScale(self.kind, self.low, self.high, start, end, self.unit)


def _nothing() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Series:
    """A curve with its band, if any.

    Attributes
    ----------
    place
        Index of its colour and dashes, the same for an algorithm in all panels and charts.
    label
        Name in a printed legend, if it differs.
    dash
        Dashes, if they carry meaning.
    thin
        Thin lines that belong to it, such as values expected by chance.
    """

    name: str
    place: int
    xs: Floats
    ys: Floats
    low: Floats = field(default_factory=_nothing)
    high: Floats = field(default_factory=_nothing)
    label: str = ""
    dash: int | None = None
    thin: tuple[tuple[Floats, Floats], ...] = ()


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves in one panel.

    Attributes
    ----------
    banded
        Whether bands are drawn.
    step
        Whether the curves are over ranks, drawn as steps with a dot at `rank`; other curves have a dot at every value.
    dotted
        Whether dots are drawn.
    """

    series: tuple[Series, ...]
    banded: bool
    step: bool
    rank: int = 1
    dotted: bool = True


@dataclass(frozen=True)
class Mark:
    """A value in a row: its series, interval, and whether it is supported by enough data; a single value of several is small."""

    row: int
    place: int
    value: float
    low: float
    high: float
    supported: bool = True
    single: bool = False


@dataclass(frozen=True)
class Rows:
    """Values with their intervals, one per row; several series of a row are stacked or share a line.

    Attributes
    ----------
    names
        Of the series.
    beside
        Text at the end of each row.
    margin
        Smallest difference that matters.
    reference
        Reference value.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    marks: tuple[Mark, ...]
    beside: tuple[str, ...] = ()
    margin: float | None = None
    reference: float | None = None
    on_one_line: bool = False

    @property
    def together(self) -> int:
        """Number of series stacked in a row."""
        if self.on_one_line or len(self.marks) <= len(self.labels):
            return 1
        return len({one.place for one in self.marks})


@dataclass(frozen=True, eq=False)
class Errors:
    """Two error rates against each other, and the zone of too few errors.

    Attributes
    ----------
    dots
        Marked points of each curve, hollow if based on fewer than 30 errors.
    errors
        Names of the errors along x and along y.
    diagonal
        Whether to show where both rates are equal.
    apart
        Whether intervals of several curves at the same rate are drawn side by side.
    complement
        Whether y is one minus the error rate.
    """

    curves: tuple[ErrorCurve, ...]
    dots: tuple[tuple[tuple[float, float], ...], ...]
    errors: tuple[str, str]
    diagonal: bool = False
    apart: bool = False
    complement: bool = False

    def shown(self, rate: Rate) -> Rate:
        """What stands on the axis y for an error rate, or the other way round."""
        return 1 - rate if self.complement else rate


@dataclass(frozen=True, eq=False)
class Outline:
    """The outline of a distribution, with a value and its interval above, if any."""

    name: str
    edges: Floats
    heights: Floats
    value: tuple[float, float, float] | None = None
    label: str = ""


@dataclass(frozen=True, eq=False)
class Histograms:
    """Histograms over one another.

    Attributes
    ----------
    reference, reference_label
        Reference value and its label.
    shaded_to
        Right end of the shaded part, which starts at the left.
    """

    outlines: tuple[Outline, ...]
    reference: float | None = None
    reference_label: str = ""
    shaded_to: float | None = None


@dataclass(frozen=True, eq=False)
class Matrix:
    """A square matrix of cells with numbers; rows and columns have the same names.

    Attributes
    ----------
    labels
        Of the rows, and of the columns.
    shares
        Shade of each cell, from 0 to 1.
    texts
        Text in each cell.
    """

    labels: tuple[str, ...]
    shares: Floats
    texts: tuple[tuple[str, ...], ...]

    @property
    def longest(self) -> int:
        """The letters of the longest text in a cell."""
        return max(len(text) for row in self.texts for text in row)


TINT = 0.45  # of the darkest cell of a matrix: ink stays legible on it, on light and on dark pages
Marks = Curves | Rows | Errors | Histograms | Matrix


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart.

    Attributes
    ----------
    axes
        x and y for each choice of scales; the first is shown initially and printed.
    description
        Text description for readers who cannot see the chart.
    names
        Legend on the page: the series in order; empty if rows are labelled.
    see
        One-sentence reading guide above the chart.
    places
        Style of each series, if it differs from the order (see `in_places`).
    notes, answers
        Notes below the chart on the page, and what its bands or bars vary.
    above
        Text above a printed panel.
    heading, labels
        Printed legend, if it contains more than names.
    data
        Data table, if it contains more than the values shown.
    """

    id: str
    title: str
    description: str
    axes: tuple[tuple[Axis, Axis], ...]
    marks: Marks
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answers: Answers | None = None
    above: str = ""
    heading: str = ""
    labels: tuple[str, ...] = ()
    see: str = ""
    places: tuple[int, ...] = ()
    data: Table | None = None

    def place(self, order: int) -> int:
        """The place of a series' look."""
        return self.places[order] if self.places else order


def in_places(chart: Chart, places: Mapping[str, int]) -> Chart:
    """The same chart with every algorithm in the look it has in all others; what is no algorithm is plain."""
    marks = chart.marks
    if isinstance(marks, Curves):
        series = tuple(replace(one, place=places.get(one.name, one.place)) for one in marks.series)
        return replace(chart, marks=replace(marks, series=series))
    names = marks.names if isinstance(marks, Rows) else chart.names
    return replace(
        chart, places=tuple(places.get(name, chart.place(order)) for order, name in enumerate(names))
    )


def aligned_charts(charts: Sequence[Chart], *, across: bool = False) -> list[Chart]:
    """The same charts on one axis y, or x, on each of the scales that all of them have."""
    made: list[list[tuple[Axis, Axis]]] = [[] for _ in charts]
    for axes in zip(*(chart.axes for chart in charts), strict=False):
        own = [pair[0 if across else 1] for pair in axes]
        ends = {"low": min(axis.low for axis in own), "high": max(axis.high for axis in own)}
        for kept, (x, y) in zip(made, axes, strict=True):
            kept.append((replace(x, **ends), y) if across else (x, replace(y, **ends)))
    return [replace(chart, axes=tuple(axes)) for chart, axes in zip(charts, made, strict=True)]


def comparable_charts(charts: Sequence[Chart]) -> list[Chart]:
    """The same charts as small multiples: curves and rows of values share axes of the same quantity; scores share none."""
    made = list(charts)
    if len(made) < 2 or not all(isinstance(chart.marks, Curves | Rows) for chart in made):
        return made
    for axis, across in ((0, True), (1, False)):
        along = {(one.label, one.kind, one.unit) for one in (chart.axes[0][axis] for chart in made)}
        # The rows of a chart are its own.
        if len(along) == 1 and (across or isinstance(made[0].marks, Curves)):
            made = aligned_charts(made, across=across)
    return made


def some(given: Sequence[T], what: str = "curves") -> Sequence[T]:
    """The items to draw; raises an error if there are none."""
    if not given:
        raise UsageError(f"There are no {what} to plot.")
    return given


def listed(parts: Sequence[str]) -> str:
    """The first few of several things in a row, for a description."""
    left = len(parts) - _LISTED
    return "; ".join(parts[:_LISTED]) + (f"; and {count(left)} more" if left > 0 else "")
