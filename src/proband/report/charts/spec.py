"""What a chart shows, whoever draws it: its axes, its marks, and the words around them.

A chart is made once from a result, by the makers beside this file, and drawn by two backends: `svg` for the page and `mpl` for
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
    """What runs along an axis: from where to where, spread how, and called what.

    Attributes
    ----------
    low, high
        Its ends in data.
    unit
        What its numbers are: rates in per cent, differences in percentage points, whole numbers, or numbers.
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
    """A curve, and its band as far as it goes.

    Attributes
    ----------
    place
        Of its colour and dashes: the same for one algorithm in all panels and charts.
    label
        Its name in a printed legend, where that says more.
    dash
        Its dashes, where they mean something.
    thin
        Thin lines that belong to it, such as what chance would give.
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
        Whether they have their bands.
    step
        Whether they are over ranks, which have no values between them, and have a dot at `rank`; others have one at every value.
    dotted
        Whether they have dots at all.
    """

    series: tuple[Series, ...]
    banded: bool
    step: bool
    rank: int = 1
    dotted: bool = True


@dataclass(frozen=True)
class Mark:
    """A value in a row: whose it is, its interval, and whether enough is behind it; a single one of several is small."""

    row: int
    place: int
    value: float
    low: float
    high: float
    supported: bool = True
    single: bool = False


@dataclass(frozen=True)
class Rows:
    """Values with their intervals, a row each; several series of a row stand below one another, or on one line.

    Attributes
    ----------
    names
        Of the series.
    beside
        What stands at the end of each row.
    margin
        Differences up to it are not worth having.
    reference
        A value to compare with.
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
        """How many series stand below one another in a row."""
        if self.on_one_line or len(self.marks) <= len(self.labels):
            return 1
        return len({one.place for one in self.marks})


@dataclass(frozen=True, eq=False)
class Errors:
    """Two kinds of errors against each other, and the zone in which there are too few of them.

    Attributes
    ----------
    dots
        The points of each curve that are marked; hollow where fewer than 30 errors are behind them.
    errors
        What the errors along x and along y are called.
    diagonal
        Whether to show where both rates are equal.
    apart
        Whether intervals of several curves at one rate stand side by side.
    complement
        Whether y is one less the error rate.
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
    """The outline of a distribution, and above it a value with its interval, if it has one."""

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
        A value to compare with, and what it is.
    shaded_to
        Where a shaded part ends that begins at the left.
    """

    outlines: tuple[Outline, ...]
    reference: float | None = None
    reference_label: str = ""
    shaded_to: float | None = None


@dataclass(frozen=True, eq=False)
class Matrix:
    """Cells with a number each, rows down and columns across under the same names.

    Attributes
    ----------
    labels
        Of the rows, and of the columns.
    shares
        How dark each cell is, between 0 and 1.
    texts
        What stands in each cell.
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
        x and y on each choice of scales; the first is shown at first, and printed.
    description
        What it shows, in words and numbers, for those who do not see it.
    names
        The legend of the page: the series in order; none where rows are labelled.
    see
        What is to be seen in it, in a sentence above it.
    places
        The look of each series, where that is not its order (see `in_places`).
    notes, answers
        What stands beneath it on the page, and what its bands or bars vary.
    above
        What a printed panel is of, above it.
    heading, labels
        The printed legend, where it says more than names.
    data
        Its numbers as a table, where that says more than can be read in it.
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
    """The same charts as small multiples: curves, and rows of values, share the axes that measure one thing; scores share none."""
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
    """What there is to draw; refused if it is nothing."""
    if not given:
        raise UsageError(f"There are no {what} to plot.")
    return given


def listed(parts: Sequence[str]) -> str:
    """The first few of several things in a row, for a description."""
    left = len(parts) - _LISTED
    return "; ".join(parts[:_LISTED]) + (f"; and {count(left)} more" if left > 0 else "")
