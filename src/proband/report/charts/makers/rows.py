"""Charts of values with intervals, one per row: algorithms, pairs, galleries and groups of people.

The module is long because rows are the most common chart; the makers are short and share the layout of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np

from proband.errors import UsageError
from proband.inference.comparisons.comparison import Standings
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.galleries.participants import Panel
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.verification.groups import Differential
from proband.measures.verification import SUPPORTED
from proband.report import columns as col
from proband.report.charts.palette import PLAIN
from proband.report.charts.scales import Unit, rounded_out
from proband.report.charts.spec import Axis, Chart, Mark, Rows, listed, some
from proband.report.tables.table import Table
from proband.results.base import Answers
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.words import (
    as_sentence,
    counted,
    effect,
    effect_interval,
    fixed,
    interval,
    level,
    out_of,
    p_value,
    size_of,
)

ErrorRate = Literal["fnmr", "fmr"]
_STRETCH = 4.0  # times the highest supported rate: the value of a group with few errors is seen up to there
RATES = {"fnmr": "false non-match rate (FNMR)", "fmr": "false match rate (FMR)"}


class Valued(NamedTuple):
    """A named value with its interval, if any, and whether it is supported by enough data."""

    name: str
    value: float
    low: float | None
    high: float | None
    supported: bool = True

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval, or the value if there is none."""
        low, high = (self.value if end is None or np.isnan(end) else end for end in (self.low, self.high))
        return low, high

    def told(self, unit: Unit, difference: bool) -> str:
        """The same as text."""
        if difference:
            in_points = unit == "points"
            return f"{self.name}: {effect(self.value, in_points)} {effect_interval(*self.ends, in_points)}"
        return f"{self.name} {fixed(self.value)} {interval(*self.ends)}"


def rows_chart(
    id: str,
    title: str,
    said: str,
    rows: Rows,
    domains: Sequence[Axis],
    names: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    answers: Answers | None = None,
    confidence_level: float | None = None,
    see: str = "",
) -> Chart:
    """Chart rows on one or more axes; values not of a single algorithm are plain."""
    up = Axis("", "linear", -0.5, len(rows.labels) - 0.5, "count")
    above = "" if confidence_level is None else f"{level(confidence_level)} intervals"
    axes = tuple((one, up) for one in domains)
    places = (PLAIN,) if len(rows.names) == 1 else ()
    return Chart(id, title, said, axes, rows, names, notes, answers, above, see=see, places=places)


def around(marks: Sequence[Mark], unit: Unit, label: str, also: Sequence[float] = ()) -> Axis:
    """Round ends around all intervals and what else is to be seen; rates stay within 0 and 1."""
    ends = [end for one in marks for end in (one.value, one.low, one.high) if np.isfinite(end)]
    low, high = rounded_out(min([*ends, *also], default=0.0), max([*ends, *also], default=1.0))
    if unit == "rate":
        low, high = max(low, 0.0), min(high, 1.0)
    return Axis(label, "linear", low, high, unit)


def _around_logs(marks: Sequence[Mark], label: str, also: Sequence[float] = ()) -> Axis:
    """Limits around all positive values and other marks, at most six powers of ten apart."""
    ends = [end for one in marks for end in (one.value, one.low, one.high) if end > 0] + [*also]
    high = min(1.2 * max(ends), 1.0)
    return Axis(label, "log", max(0.8 * min(ends), high / 1e6), high, "rate")


def values(
    found: Sequence[Valued],
    label: str,
    unit: Unit = "number",
    confidence_level: float | None = None,
    *,
    id: str = "values",
    title: str = "",
    labels: Sequence[str] = (),
    beside: Sequence[str] = (),
    reference: float | None = None,
    margin: float | None = None,
    bounds: bool = False,
    named: bool = False,
    notes: tuple[str, ...] = (),
    answers: Answers | None = None,
    above: str = "",
    see: str = "",
) -> Chart:
    """Chart values with their intervals, one per row in the given order; differences against zero.

    Parameters
    ----------
    label, unit
        Name and unit of the values.
    labels
        Short names of the rows.
    beside
        Text at the end of each row.
    reference, margin
        Reference value, and the margin around zero within which differences do not matter.
    bounds
        Whether intervals are one-sided; the open end is beyond the axis.
    named
        Whether rows are algorithms, each in its own style.
    above
        Additional text above a printed panel.
    """
    some(found, "values")
    marks = tuple(
        Mark(row, row if named else 0, one.value, *one.ends, one.supported)
        for row, one in enumerate(found)
        if np.isfinite(one.value)
    )
    if unit == "points":
        reference = 0.0
    seen = [_without_open(one, 1.0 if unit == "points" else inf) for one in marks] if bounds else marks
    also = ([] if reference is None else [reference]) + ([] if margin is None else [-margin, margin])
    names = tuple(one.name for one in found)
    series = names if named else ("difference" if reference == 0 else label,)
    said = listed(
        [
            one.told(unit, reference == 0) + (f", {text}" if text else "")
            for one, text in zip_longest(found, beside)
        ]
    )
    chart = rows_chart(
        id,
        title or label,
        f"{said}." if reference == 0 else f"{label}: {said}.",
        Rows(tuple(labels) or names, series, marks, tuple(beside), margin, reference),
        [around(seen, unit, label, also)],
        notes=notes,
        answers=answers,
        confidence_level=confidence_level,
        see=see,
    )
    return replace(chart, above="\n".join(filter(None, (chart.above, above))))


def _without_open(mark: Mark, limit: float) -> Mark:
    """A mark with open ends set to its value."""
    low, high = (mark.value if abs(end) >= limit else end for end in (mark.low, mark.high))
    return replace(mark, low=low, high=high)


def leaderboard(
    estimates: Sequence[Estimate],
    id: str = "leaderboard-chart",
    title: str = "Algorithms, best first",
    *,
    in_points: bool = True,
) -> Chart:
    """Chart every algorithm's estimate with its interval, in the given order from the top."""
    first = some(estimates, "estimates")[0]
    part = level(first.confidence_level)
    return values(
        [Valued(one.algorithm, one.value, one.low, one.high, one.supported) for one in estimates],
        str(first.answers.of),
        "rate" if in_points else "number",
        first.confidence_level,
        id=id,
        title=title,
        named=True,
        notes=(
            f"Bars: {part} intervals of each algorithm separately. Overlapping bars do not show that two algorithms are "
            "equal; use the paired differences.",
        ),
        answers=first.answers,
    )


def forest(
    comparison: Standings,
    pairs: Sequence[Difference] | None = None,
    id: str = "forest",
    title: str = "Differences between algorithms",
    labels: Sequence[str] = (),
) -> Chart:
    """Chart paired differences with their intervals, the margin and the verdicts.

    Parameters
    ----------
    pairs
        Pairs to draw. Default: all.
    labels
        Short names of the pairs.
    """
    shown = some(comparison.pairs if pairs is None else tuple(pairs), "pairs")
    in_points, side = shown[0].in_points, shown[0].side
    better = "first" if comparison.larger_is_better else "second"
    notes = [
        f"To the right of zero, the {better} of a pair is better. Bars: {level(comparison.confidence_level)}"
        + ("." if side is None else f", one-sided: the {side} end is a bound.")
    ]
    if comparison.margin is not None:
        worth = size_of(comparison.margin, in_points)
        notes.append(f"Shaded: differences smaller than the margin, {worth}.")
    return _apart(
        comparison,
        [Valued(f"{one.first} − {one.second}", one.value, one.low, one.high) for one in shown],
        difference_label(in_points),
        id=id,
        title=title,
        labels=labels,
        beside=[one.verdict for one in shown],
        notes=tuple(notes),
        see="Bars that do not reach zero are significant differences, adjusted for all pairs.",
    )


def against_best(comparison: Standings) -> Chart:
    """Chart each algorithm's difference from the best, whichever was first in the comparison."""
    best, *others = (one.algorithm for one in comparison.ordered)
    found = {}
    for pair in comparison.pairs:
        if pair.second == best:
            found[pair.first] = Valued(pair.first, pair.value, pair.low, pair.high)
        elif pair.first == best:
            found[pair.second] = Valued(pair.second, -pair.value, -pair.high, -pair.low)
    unit = " in points" if comparison.pairs[0].in_points else ""
    return _apart(
        comparison,
        [found[name] for name in others],
        f"difference from the best{unit}",
        id="against-best",
        title="Differences from the best",
    )


def _apart(comparison: Standings, found: Sequence[Valued], label: str, **more: Any) -> Chart:
    """Chart differences of a comparison."""
    pair = comparison.pairs[0]
    return values(
        found,
        label,
        "points" if pair.in_points else "number",
        comparison.confidence_level,
        reference=0.0,
        margin=comparison.margin,
        bounds=pair.side is not None,
        answers=comparison.answers,
        **more,
    )


def difference_label(in_points: bool) -> str:
    """Label of an axis of differences."""
    return "difference" + (" (percentage points)" if in_points else "")


class InGallery(NamedTuple):
    """The rate of an algorithm in one of several galleries."""

    algorithm: str
    gallery: int
    rate: float
    ends: Sequence[float] | None
    answers: Answers


def _by_gallery(found: Sequence[InGallery], label: str, id: str, title: str) -> Table:
    return col.table_of(
        title,
        found,
        col.name("algorithm", lambda one: one.algorithm),
        col.name("gallery", lambda one: f"gallery {one.gallery}"),
        col.rate(label, lambda one: one.rate),
        col.interval("interval", lambda one: one.ends, answers=lambda one: one.answers),
        id=f"{id}-data",
    )


def galleries(
    variation: GalleryVariation,
    id: str = "galleries",
    title: str = "Rates in galleries of different people",
    panels: Sequence[Panel] = (),
) -> Chart:
    """Chart every algorithm's rates over galleries, one row per algorithm: the galleries and the mean with its interval.

    The best on average comes first; with `panels`, the best of the earliest date, and rows show their dates.
    """
    dates = {name: panel for panel in panels if panel.date is not None for name in panel.algorithms}
    turn = {panel.date: place for place, panel in enumerate(panels)}
    means = {row.algorithm: row.mean.value for row in variation.rows}
    last = len(panels)
    names = sorted(
        variation.algorithms,
        key=lambda name: (turn[dates[name].date] if name in dates else last, -means[name]),
    )
    found = [
        InGallery(name, cell.gallery, cell.rate, col.ends(cell.estimate), variation.answers)
        for name in variation.algorithms
        for cell in variation.of(name)
        if cell.rate is not None
    ]
    marks = [_single(names.index(one.algorithm), one.rate) for one in found]
    for row in variation.rows:
        place, mean = names.index(row.algorithm), row.mean.value
        marks.append(Mark(place, place, mean, *(col.ends(row.mean) or (mean, mean))))
    n = counted(len(variation.galleries), "gallery", "galleries")
    told = [
        f"{row.algorithm}: mean {fixed(row.mean.value)} over {n}, range {fixed(row.range)}"
        for row in variation.rows
    ]
    labels = tuple(f"{name} ({dates[name].date})" if name in dates else name for name in names)
    part = level(variation.confidence_level)
    chart = rows_chart(
        id,
        title,
        f"{listed(told)}.",
        Rows(labels, tuple(names), tuple(marks), on_one_line=True),
        [around(marks, "rate", str(variation.estimand))],
        notes=(f"Dots and bars: the mean over galleries and its {part} interval.",),
        answers=variation.answers,
        confidence_level=variation.confidence_level,
        see=_SPREAD,
    )
    return replace(chart, data=_by_gallery(found, str(variation.estimand), id, title))


def _single(place: int, rate: float) -> Mark:
    return Mark(place, place, rate, rate, rate, single=True)


_SPREAD = "Circles: single galleries. The wider their spread, the more the rate depends on who is enrolled."


def gallery_effect(
    effects: Sequence[GalleryEffect],
    id: str = "gallery-effect-chart",
    title: str = "Rates with each image as the gallery",
) -> Chart:
    """Chart every algorithm's rates with each column of images as the gallery in turn, one row per algorithm, with the test."""
    answers = some(effects, "galleries")[0].estimates[0].answers
    names = tuple(one.algorithm for one in effects)
    found = [
        InGallery(effect.algorithm, number, one.value, (one.low, one.high), one.answers)
        for effect in effects
        for number, one in enumerate(effect.estimates, 1)
    ]
    marks = tuple(_single(names.index(one.algorithm), one.rate) for one in found)
    tests = tuple(f"p {p_value(float(effect.test))}" for effect in effects)
    chart = rows_chart(
        id,
        title,
        " ".join(as_sentence(one.sentence()) for one in effects),
        Rows(names, names, marks, tests, on_one_line=True),
        [around(marks, "rate", str(answers.of))],
        notes=("p: test of whether the algorithm's galleries differ. The table contains the intervals.",),
        answers=answers,
        see=_SPREAD,
    )
    return replace(chart, data=_by_gallery(found, str(answers.of), id, title))


def rates_by_group(
    found: Sequence[Differential], which: ErrorRate
) -> tuple[list[str], list[tuple[int, int, Estimate]]]:
    """The groups, and the rates there are: of which group, of which algorithm."""
    groups = list(dict.fromkeys(group.group for one in found for group in one.groups))
    rates = [
        (groups.index(group.group), place, own)
        for place, one in enumerate(found)
        for group in one.groups
        if (own := group.fnmr if which == "fnmr" else group.fmr) is not None
    ]
    if not rates:
        raise UsageError(f"No group has a {which.upper()} to plot.")
    return groups, rates


def groups(
    found: Sequence[Differential],
    which: ErrorRate,
    answers: Answers | None = None,
    id: str = "groups-chart",
    title: str | None = None,
    *,
    counts: bool = False,
) -> Chart:
    """Chart one error rate of every group of people, for several algorithms, each at one threshold for all groups.

    Parameters
    ----------
    found
        Results of each algorithm, by the same column.
    answers
        Answers of the intervals.
    counts
        For a single algorithm: whether to show each group's errors and the rate over all groups.
    """
    labels, rates = rates_by_group(found, which)
    names = tuple(one.algorithm for one in found)
    label = RATES[which]
    title = title or f"{label[0].upper()}{label[1:]} by {found[0].column}"
    marks = tuple(
        Mark(row, place, rate.value, rate.low, rate.high, rate.supported) for row, place, rate in rates
    )
    # Groups with few errors have intervals that would leave no room for the others: they end in an arrow.
    sure = [one for one in marks if one.supported] or list(marks)
    most = _STRETCH * max(one.high for one in sure)
    values = [one.value for one in marks if 0 < one.value <= most]
    domains = [_around_logs(sure, label, values)] if any(one.value > 0 for one in sure) else []
    domains.append(around(sure, "rate", label, [0.0, *values]))
    part = rates[0][2].confidence_level
    note = (
        f"Bars: {level(part)} intervals. Hollow: fewer than {SUPPORTED} errors; at the left end of a "
        "logarithmic axis: none. Arrows: beyond the axis, which covers groups with enough errors."
    )
    rows = Rows(tuple(labels), names, marks)
    if counts:
        own = {row: out_of(rate.rests_on.n_events, rate.rests_on.n) for row, _, rate in rates}
        errors, n = (
            sum(rate.rests_on.n_events for *_, rate in rates),
            sum(rate.rests_on.n for *_, rate in rates),
        )
        beside = tuple(own.get(row, "none compared") for row in range(len(labels)))
        rows = Rows(tuple(labels), names, marks, beside, reference=errors / n if errors else None)
    said = f"{listed([_ratio(one, which) for one in found])}."
    see = f"One threshold for all groups: if an algorithm's {which.upper()} differs between groups, it makes more errors on some of them."
    return rows_chart(id, title, said, rows, domains, names, (note,), answers, part, see)


def _ratio(found: Differential, which: ErrorRate) -> str:
    ratio = found.ratio(which)
    if ratio is None:
        return f"{found.algorithm}: fewer than two groups have a supported {which.upper()}"
    return f"{found.algorithm}: the largest supported {which.upper()} is {fixed(ratio, 2)} times the smallest"
