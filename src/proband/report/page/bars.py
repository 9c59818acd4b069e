"""Intervals drawn in the cells of a table, on the axis in the column heading."""

from __future__ import annotations

from math import isfinite

from proband.report.charts.palette import colour_name
from proband.report.charts.scales import AxisScale
from proband.report.charts.spec import Axis
from proband.report.charts.svg.elements import number
from proband.report.page.markup import Markup, joined, tag
from proband.report.tables.table import Bar

_TICKS = 3


def axis_markup(axis: Axis) -> Markup:
    """Write the numbers of an axis, for the heading of its column."""
    scale = axis.over(0.0, 100.0)
    shown = _few(scale)
    numbers = (tag("span", scale.label(tick), style=_at(scale.at(tick))) for tick in shown)
    return tag("span", joined(numbers), class_="ticks", aria_hidden="true")


def bar_markup(bar: Bar, axis: Axis) -> Markup:
    """Draw an interval and the value in it; the text of the cell says the same to those who do not see it."""
    scale = axis.over(0.0, 100.0)
    lines = (tag("i", style=_at(scale.at(tick))) for tick in _few(scale))
    low, high = (
        scale.at(end) if isfinite(end) else limit for end, limit in ((bar.low, 0.0), (bar.high, 100.0))
    )
    reach = tag("b", style=f"{_at(low)};width:{number(high - low)}%")
    value = tag("u", style=_at(scale.at(bar.value))) if isfinite(bar.value) else ""
    return tag(
        "span",
        joined([*lines, reach, value]),
        class_=f"track series-{colour_name(bar.place)}",
        aria_hidden="true",
    )


def _few(scale: AxisScale) -> list[float]:
    return list(scale.ticks(_TICKS))


def _at(place: float) -> str:
    return f"left:{number(place)}%"
