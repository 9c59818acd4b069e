"""Charts of values with their intervals, a row each: algorithms, pairs of them, galleries and groups of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from proband.errors import UsageError
from proband.inference.comparisons.comparison import Comparison
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.verification.groups import Differential
from proband.measures.verification import SUPPORTED
from proband.report.cells import (
    columns,
    effect,
    effect_cell,
    effect_interval,
    effect_interval_cell,
    interval,
    interval_cell,
    p_cell,
    percent,
    rate,
    rate_cell,
    share_cell,
    size_of,
    small_cell,
    small_interval_cell,
    table,
    text_cell,
)
from proband.report.page.charts.rows import Mark, around, around_logs, rows_drawing, shortened
from proband.report.page.charts.svg import listed
from proband.report.page.model import Chart
from proband.report.table import Column
from proband.results.base import Answers
from proband.results.difference import Difference
from proband.words import as_sentence, counted, fixed

_HALF = 11  # letters of each name of a pair


def leaderboard_chart(
    comparison: Comparison, id: str = "leaderboard-chart", title: str = "Algorithms, the best first"
) -> Chart:
    """Draw every algorithm's estimate with its interval, the best first."""
    ordered = comparison.ordered
    names = [one.facts.algorithm for one in comparison.estimates]
    of = str(comparison.estimates[0].answers.of)
    in_points = all(pair.in_points for pair in comparison.pairs)
    marks = [
        Mark(row, names.index(one.facts.algorithm), one.value, one.low, one.high)
        for row, one in enumerate(ordered)
        if np.isfinite(one.value)
    ]
    said = (
        f"{of}: "
        + listed(
            [f"{one.facts.algorithm} {rate(one.value)} {interval(one.low, one.high)}" for one in ordered]
        )
        + "."
    )
    domain = around(marks, "rate" if in_points else "number")
    drawn = rows_drawing(
        f"{id}-linear", title, said, [one.facts.algorithm for one in ordered], names, marks, domain, of
    )
    rows = [
        (
            text_cell(one.facts.algorithm),
            rate_cell(one.value),
            interval_cell((one.low, one.high), one.answers),
        )
        for one in ordered
    ]
    data = table(f"{id}-data", title, columns("algorithm", of, "interval"), rows)
    notes = (
        f"Bars: {percent(comparison.confidence_level)} intervals, each algorithm by itself. Overlapping bars do not say that two "
        "algorithms are alike: differences on the same probes do.",
    )
    return Chart(id, title, said, {"linear": drawn}, (), data, notes, comparison.estimates[0].answers)


def forest_chart(
    comparison: Comparison,
    pairs: Sequence[Difference] | None = None,
    id: str = "forest",
    title: str = "Differences between algorithms",
) -> Chart:
    """Draw paired differences with their intervals, the margin of what is worth having, and the verdicts.

    Parameters
    ----------
    pairs
        Those to draw; by default all.
    """
    shown = comparison.pairs if pairs is None else tuple(pairs)
    if not shown:
        raise UsageError("There are no pairs to draw.")
    in_points = shown[0].in_points
    margin = comparison.margin
    marks = [Mark(row, 0, one.difference, one.low, one.high) for row, one in enumerate(shown)]
    reach = [0.0] if margin is None else [-margin, margin]
    domain = around(marks, "points" if in_points else "number", reach)
    names = [f"{one.first} − {one.second}" for one in shown]
    label = "difference" + (" (percentage points)" if in_points else "")
    said = (
        listed(
            [
                f"{name}: {effect(one.difference, in_points)} {effect_interval(one.low, one.high, in_points)}, {one.said}"
                for name, one in zip(names, shown, strict=True)
            ]
        )
        + "."
    )
    drawn = rows_drawing(
        f"{id}-linear",
        title,
        said,
        [f"{shortened(one.first, _HALF)} − {shortened(one.second, _HALF)}" for one in shown],
        ["difference"],
        marks,
        domain,
        label,
        beside=[one.said for one in shown],
        margin=margin,
    )
    rows = [
        (
            text_cell(one.first),
            text_cell(one.second),
            effect_cell(one.difference, in_points),
            effect_interval_cell(one.low, one.high, in_points, comparison.answers),
            p_cell(one.p_adjusted, one.method, len(comparison.pairs)),
            text_cell(one.said),
        )
        for one in shown
    ]
    heads = (
        *columns("first", "second", label, "interval", "adjusted p", text=2),
        Column("verdict"),
    )
    better = "first" if comparison.larger_is_better else "second"
    notes = [
        f"To the right of zero the {better} of a pair is better. Bars: {percent(comparison.confidence_level)}."
    ]
    if margin is not None:
        notes.append(
            f"Shaded: differences smaller than {size_of(margin, in_points)}, which are not worth having."
        )
    data = table(f"{id}-data", title, heads, rows)
    return Chart(id, title, said, {"linear": drawn}, (), data, tuple(notes), comparison.answers)


def galleries_chart(
    variation: GalleryVariation,
    id: str = "galleries",
    algorithms: Sequence[str] | None = None,
    title: str = "Rates in galleries of different people",
) -> Chart:
    """Draw every algorithm's rate in every gallery, with its interval.

    Parameters
    ----------
    algorithms
        Those to draw; by default all.
    """
    names = list(algorithms or variation.algorithms)
    numbers = [one.number for one in variation.galleries]
    marks = [
        Mark(numbers.index(cell.gallery), names.index(cell.algorithm), cell.rate, *cell.interval)
        for cell in variation.cells
        if cell.algorithm in names and cell.rate is not None and cell.interval is not None
    ]
    said = listed(
        [
            f"{row.algorithm}: mean {rate(row.spread.mean)} over {counted(len(numbers), 'gallery', 'galleries')}, range "
            f"{rate(row.spread.range)}"
            for row in variation.rows
            if row.algorithm in names
        ]
    )
    note = f"Bars: {percent(variation.confidence_level)} intervals, of other people searched for in that gallery."
    labels = [f"gallery {number}" for number in numbers]
    return _by_gallery(
        id, title, f"{said}.", labels, names, marks, str(variation.estimand), variation.answers, note
    )


def gallery_effect_chart(
    effects: Sequence[GalleryEffect],
    id: str = "gallery-effect-chart",
    title: str = "Rates with each image as the gallery",
) -> Chart:
    """Draw every algorithm's rate with each column of images as the gallery in turn."""
    if not effects:
        raise UsageError("There are no galleries to draw.")
    names = [f"{one.algorithm}, mixed" if one.mixed else one.algorithm for one in effects]
    marks = [
        Mark(row, place, one.value, one.low, one.high)
        for place, found in enumerate(effects)
        for row, one in enumerate(found.estimates)
    ]
    labels = [f"gallery {row + 1}" for row in range(max(len(one.estimates) for one in effects))]
    first = effects[0].estimates[0]
    said = " ".join(as_sentence(one.sentence()) for one in effects)
    note = f"Bars: {percent(first.confidence_level)} intervals, varying {first.answers.varying}."
    return _by_gallery(id, title, said, labels, names, marks, str(first.answers.of), first.answers, note)


def _by_gallery(
    id: str,
    title: str,
    said: str,
    labels: list[str],
    names: list[str],
    marks: Sequence[Mark],
    of: str,
    answers: Answers,
    note: str,
) -> Chart:
    drawn = rows_drawing(f"{id}-linear", title, said, labels, names, marks, around(marks, "rate"), of)
    rows = [
        (
            text_cell(labels[one.row]),
            text_cell(names[one.series]),
            rate_cell(one.value),
            interval_cell((one.low, one.high), answers),
        )
        for one in sorted(marks, key=lambda mark: (mark.row, mark.series))
    ]
    data = table(f"{id}-data", title, columns("gallery", "algorithm", of, "interval", text=2), rows)
    return Chart(id, title, said, {"linear": drawn}, tuple(names), data, (note,), answers)


def groups_chart(
    found: Sequence[Differential],
    which: Literal["fnmr", "fmr"],
    answers: Answers,
    id: str = "groups-chart",
    title: str | None = None,
) -> Chart:
    """Draw one error rate of every group of people, for several algorithms, each at one threshold for all groups.

    Parameters
    ----------
    found
        One for each algorithm, by the same column.
    answers
        Of the intervals.
    """
    names = [one.algorithm for one in found]
    groups = list(dict.fromkeys(group.group for one in found for group in one.groups))
    rates = [
        (groups.index(group.group), place, own)
        for place, one in enumerate(found)
        for group in one.groups
        if (own := group.fnmr if which == "fnmr" else group.fmr) is not None
    ]
    if not rates:
        raise UsageError(f"No group has a {which.upper()} to draw.")
    label = "false non-match rate (FNMR)" if which == "fnmr" else "false match rate (FMR)"
    title = title or f"{label[0].upper()}{label[1:]} by {found[0].column}"
    marks = [Mark(row, place, one.rate, one.low, one.high, one.supported) for row, place, one in rates]
    said = listed([_ratio(one, which) for one in found]) + "."
    domains = {"log": around_logs(marks)} if any(one.value > 0 for one in marks) else {}
    domains["linear"] = around(marks, "rate", [0.0])
    drawings = {
        scale: rows_drawing(f"{id}-{scale}", title, said, groups, names, marks, domain, label)
        for scale, domain in domains.items()
    }
    rows = [
        (
            text_cell(groups[row]),
            text_cell(names[place]),
            small_cell(one.rate, one.supported),
            small_interval_cell(one.low, one.high, answers),
            share_cell(one.errors, one.n),
        )
        for row, place, one in sorted(rates, key=lambda each: each[:2])
    ]
    heads = columns("group", "algorithm", which.upper(), "interval", "errors", text=2)
    notes = (
        f"Bars: {percent(rates[0][2].confidence_level)} intervals. Hollow: fewer than {SUPPORTED} errors; at the left end of a "
        "logarithmic axis: none.",
    )
    data = table(f"{id}-data", title, heads, rows, (f"* rests on fewer than {SUPPORTED} errors.",))
    return Chart(id, title, said, drawings, tuple(names), data, notes, answers)


def _ratio(found: Differential, which: str) -> str:
    ratio = found.ratio(which)
    if ratio is None:
        return f"{found.algorithm}: fewer than two groups have a supported {which.upper()}"
    return f"{found.algorithm}: the largest supported {which.upper()} is {fixed(ratio, 2)} times the smallest"
