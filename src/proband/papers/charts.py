"""Charts of the papers' figures for the page, with their tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.inference.image_choice.distributions import Distribution
from proband.report.charts import spec
from proband.report.charts.makers.histograms import bins
from proband.report.charts.scales import Floats, Kind, Unit, rounded_out
from proband.report.charts.spec import Axis, Curves, Histograms, Outline, Series
from proband.report.page.charts import shown
from proband.report.page.model import ChartBlock
from proband.report.tables.cells import columns, digits_cell, effect_cell, rate_cell, table, text_cell
from proband.words import count, fixed

_TABLED = 12  # ranks in the table of a chart


class Line(NamedTuple):
    """A curve over whole numbers, and the ends of its band if it has one."""

    name: str
    xs: npt.ArrayLike
    ys: npt.ArrayLike
    low: npt.ArrayLike = ()
    high: npt.ArrayLike = ()


def spread_chart(
    id: str,
    title: str,
    see: str,
    found: Sequence[tuple[str, Distribution]],
    label: str,
    width: int = 1,
    *,
    unit: Unit = "rate",
    notes: tuple[str, ...] = (),
) -> ChartBlock:
    """Draw distributions of a rate, or of a difference of rates, over one another, each with its mean and middle 95 %."""
    outlines = tuple(
        Outline(name, *bins(one, width, zero_last=unit == "points"), (one.mean, *one.interval()))
        for name, one in found
    )
    ends = (
        min(float(one.edges[0]) for one in outlines) - 0.01,
        max(float(one.edges[-1]) for one in outlines) + 0.01,
    )
    highest = max(float(one.heights.max()) for one in outlines) * (1.05 + 0.08 * min(len(found), 6))
    told = "; ".join(f"{name} mean {fixed(one.mean)}" for name, one in found)
    axes = ((Axis(label, "linear", *ends, unit), Axis("share", "linear", 0.0, highest, "rate")),)
    reference = 0.0 if unit == "points" else None
    chart = spec.Chart(
        id, title, f"{told}.", axes, Histograms(outlines, reference), tuple(one.name for one in outlines), notes, see=see
    )  # fmt: skip
    cell = effect_cell if unit == "points" else rate_cell
    rows = [
        (text_cell(name), cell(one.mean), cell(one.standard_deviation), *map(cell, one.interval()))
        for name, one in found
    ]
    heads = columns("of", "mean", "standard deviation", "2.5%", "97.5%")
    return shown(chart, table(f"{id}-data", title, heads, rows))


def curves_chart(
    id: str,
    title: str,
    see: str,
    found: Sequence[Line],
    x_label: str,
    y_label: str,
    *,
    unit: Unit = "rate",
    kinds: Sequence[Kind] = ("log", "linear"),
    step: bool = True,
    notes: tuple[str, ...] = (),
) -> ChartBlock:
    """Draw curves over whole numbers, such as ranks."""
    series = tuple(
        Series(one.name, place, *_floats(one.xs, one.ys, one.low, one.high))
        for place, one in enumerate(found)
    )
    ends = [end for one in series for part in (one.ys, one.low, one.high) if len(part) for end in (part.min(), part.max())]  # fmt: skip
    low, high = rounded_out(float(min(ends)), float(max(ends)))
    if unit == "rate":
        low, high = max(low, 0.0), min(high, 1.0)
    first, last = min(float(one.xs[0]) for one in series), max(float(one.xs[-1]) for one in series)
    axes = tuple(
        (Axis(x_label, kind, first, max(last, first + 1), "count"), Axis(y_label, "linear", low, high, unit))
        for kind in kinds
    )
    told = "; ".join(f"{one.name} {fixed(float(one.ys[0]))}" for one in series)
    chart = spec.Chart(
        id,
        title,
        f"At {x_label} {count(int(first))}: {told}.",
        axes,
        Curves(series, banded=any(len(one.low) for one in series), step=step),
        tuple(one.name for one in series),
        notes,
        see=see,
    )
    at = np.unique(np.geomspace(1, len(series[0].xs), _TABLED).astype(int)) - 1
    rows = [
        (text_cell(one.name), *(digits_cell(float(one.ys[k]), 4) if k < len(one.ys) else text_cell("") for k in at))
        for one in series
    ]  # fmt: skip
    heads = columns("of", *(count(int(series[0].xs[k])) for k in at))
    return shown(chart, table(f"{id}-data", f"{title}, by {x_label}", heads, rows))


def _floats(*given: npt.ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    xs, ys, low, high = (np.asarray(one, dtype=np.float64) for one in given)
    return xs, ys, low, high
