"""Charts of how things are spread: scores, rates and differences over choices of images, and errors over people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.errors import UsageError
from proband.inference.image_choice.distributions import Distribution
from proband.inference.image_choice.virtual_experiments import VirtualExperiments
from proband.inference.verification.hard_subjects import HardSubjects
from proband.inference.verification.verification import Verification
from proband.report.analyses.verification import score_counts
from proband.report.cells import (
    columns,
    count,
    count_cell,
    effect,
    effect_cell,
    effect_interval,
    effect_interval_cell,
    percent,
    rate_cell,
    share_cell,
    table,
    text_cell,
    threshold,
    threshold_cell,
)
from proband.report.figures.choices import bins
from proband.report.figures.verification_curves import Floats
from proband.report.figures.verification_panels import ScoreCounts
from proband.report.page.charts.axes import Frame, dot, interval_bar
from proband.report.page.charts.scales import Unit
from proband.report.page.charts.svg import element, line, listed, path, points_of, series, words
from proband.report.page.charts.thinning import visible
from proband.report.page.model import Chart
from proband.report.page.sections.concentration import shared_errors
from proband.words import as_sentence, counted

_MOST_BINS = 60
Outline = tuple[str, Floats, Floats]  # whose, the edges of bins, and the height of each


def scores_chart(result: Verification, id: str = "scores", title: str | None = None) -> Chart:
    """Draw the densities of genuine and of impostor scores, each with the area 1, and the threshold of the first operating point."""
    counts = score_counts(result)
    title = title or f"Scores of {result.algorithm}"
    n_genuine, n_impostor = (int(np.sum(one)) for one in (counts.genuine, counts.impostor))
    said = f"{count(n_genuine)} genuine and {count(n_impostor)} impostor scores."
    if counts.threshold is not None:
        said += f" {counts.threshold_label}: threshold {threshold(counts.threshold)}."
    edges, genuine, impostor = _fewer_bins(counts)
    outlines = [
        ("genuine", edges, genuine / (np.diff(edges) * max(n_genuine, 1))),
        ("impostor", edges, impostor / (np.diff(edges) * max(n_impostor, 1))),
    ]
    ends = (float(edges[0]), float(edges[-1]))
    if counts.threshold is not None:
        ends = (min(ends[0], counts.threshold), max(ends[1], counts.threshold))
    frame = _frame(ends, outlines, "score", "density", "number", y_unit="number")
    parts = frame.axes(y_ticks=False) + _outlines(frame, outlines)
    if counts.threshold is not None:
        at = frame.x.at(counts.threshold)
        parts.append(line(at, frame.top, at, frame.bottom, "reference"))
        late = at > (frame.left + frame.right) / 2
        place = at - 6 if late else at + 6
        parts.append(words(place, frame.top + 12, counts.threshold_label, "note", "end" if late else None))
    rows = [
        (
            threshold_cell(float(low)),
            threshold_cell(float(high)),
            count_cell(int(own)),
            count_cell(int(other)),
        )
        for low, high, own, other in zip(edges[:-1], edges[1:], genuine, impostor, strict=True)
    ]
    heads = columns("from", "to below", "genuine", "impostor", text=0)
    data = table(f"{id}-data", f"{title}: counts in bins", heads, rows)
    notes = ("Densities: each kind of scores has the area 1, however many there are.",)
    drawn = frame.drawing(f"{id}-linear", title, said, parts)
    return Chart(id, title, said, {"linear": drawn}, ("genuine", "impostor"), data, notes)


def _fewer_bins(counts: ScoreCounts) -> tuple[Floats, Floats, Floats]:
    """The bins that hold scores, several put together if they are many."""
    both = np.asarray(counts.genuine) + np.asarray(counts.impostor)
    held = np.flatnonzero(both)
    if not len(held):
        raise UsageError("there are no scores to draw.", source=counts.name)
    first, last = int(held[0]), int(held[-1]) + 1
    n_bins = min(last - first, _MOST_BINS)
    starts = first + np.arange(n_bins) * (last - first) // n_bins
    edges = np.append(counts.edges[starts], counts.edges[last])
    genuine, impostor = (
        np.add.reduceat(np.asarray(one, dtype=np.float64)[:last], starts)
        for one in (counts.genuine, counts.impostor)
    )
    return edges, genuine, impostor


def differences_chart(
    choices: VirtualExperiments,
    pairs: Sequence[tuple[str, str]],
    rank: int = 1,
    level: float = 0.95,
    id: str = "choice-differences-chart",
) -> Chart:
    """Draw how differences of two algorithms' rates vary over choices of images; where the first does not win is shaded."""
    if not pairs:
        raise UsageError("There are no pairs to draw.")
    names = tuple(f"{first} − {second}" for first, second in pairs)
    found = [(choices.difference(*pair, rank), choices.not_won(*pair, rank)) for pair in pairs]
    title = f"Differences at rank {rank} over choices of images"
    said = (
        _trials(choices)
        + listed(
            [
                f"{name}: {effect(one.mean)} points {effect_interval(*one.interval(level))}, not won in {count(lost)} of "
                f"{count(one.n_trials)}"
                for name, (one, lost) in zip(names, found, strict=True)
            ]
        )
        + "."
    )
    label = f"difference in recognition rate at rank {rank} (percentage points)"
    spread = [(name, one) for name, (one, _) in zip(names, found, strict=True)]
    drawn = _shares(f"{id}-linear", title, said, spread, level, "points", label)
    rows = [
        (
            text_cell(first),
            text_cell(second),
            effect_cell(one.mean),
            effect_interval_cell(*one.interval(level), True, choices.answers),
            share_cell(lost, one.n_trials),
        )
        for (first, second), (one, lost) in zip(pairs, found, strict=True)
    ]
    heads = columns("first", "second", "mean difference, points", "interval", "not won", text=2)
    data = table(f"{id}-data", title, heads, rows)
    notes = (
        _bars(level),
        "Shaded: the first does not win. The share of such choices is no p-value: it is about these people's images.",
    )
    return Chart(id, title, said, {"linear": drawn}, names, data, notes, choices.answers)


def _trials(choices: VirtualExperiments) -> str:
    return (
        f"{count(choices.n_trials)} choices of images of {counted(choices.n_subjects, 'person', 'people')}. "
    )


def _bars(level: float) -> str:
    return f"Dots and bars: the mean, and the middle {percent(level)} of the choices."


def _shares(
    id: str,
    title: str,
    said: str,
    found: Sequence[tuple[str, Distribution]],
    level: float,
    unit: Unit,
    label: str,
) -> str:
    """Draw shares of trials as outlines, and above them the mean with the middle part of the trials."""
    differences = unit == "points"
    reach = [(one.interval(0.999), one.n) for _, one in found]
    spread = max((ends.high - ends.low) * n for ends, n in reach)
    width = max(1, int(np.ceil(spread / (_MOST_BINS / 2))))
    outlines = [(name, *bins(one, width, differences)) for name, one in found]
    ends = (min(float(one[1][0]) for one in outlines), max(float(one[1][-1]) for one in outlines))
    if differences:
        half = 0.5 / reach[0][1]
        ends = (min(ends[0], -3 * half), max(ends[1], 3 * half))
    frame = _frame(ends, outlines, label, "share of the choices", unit, room=0.08 * min(len(found), 6))
    parts = frame.axes()
    if differences:
        edge = frame.x.at(half)
        parts.append(
            element(
                "rect", class_="shade", x=frame.left, y=frame.top, width=edge - frame.left,
                height=frame.bottom - frame.top, fill_opacity="0.08",
            )
        )  # fmt: skip
        parts.append(line(frame.x.at(0), frame.top, frame.x.at(0), frame.bottom, "reference"))
    above = []
    for place, (_, one) in enumerate(found):
        low, high = one.interval(level)
        y = frame.top + 10 + 9.0 * (place % 6)
        above.append(
            [interval_bar(frame.x.at(low), y, frame.x.at(high), y, 3.0), dot(frame.x.at(one.mean), y)]
        )
    return frame.drawing(id, title, said, parts + _outlines(frame, outlines, above))


def _frame(
    ends: tuple[float, float],
    outlines: Sequence[Outline],
    x_label: str,
    y_label: str,
    unit: Unit,
    room: float = 0.0,
    y_unit: Unit = "rate",
) -> Frame:
    """Axes around histograms, with some room above the highest."""
    margin = 0.02 * (ends[1] - ends[0])
    highest = max(float(one[2].max()) for one in outlines) * (1.05 + room)
    low, high = ends[0] - margin, ends[1] + margin
    if unit == "rate":
        low, high = max(low, 0.0), min(high, 1.0)
    return Frame.of(
        ("linear", low, high, unit),
        ("linear", 0.0, highest, y_unit),
        x_label,
        y_label,
    )


def _outlines(frame: Frame, outlines: Sequence[Outline], more: Sequence[Sequence[str]] = ()) -> list[str]:
    """Histograms over one another, tinted."""
    made: list[str] = []
    for place, (name, edges, heights) in enumerate(outlines):
        x = frame.x(np.repeat(edges, 2))
        y = frame.y(np.concatenate([[0.0], np.repeat(heights, 2), [0.0]]))
        kept = visible(x, y)
        outline = path(x[kept], y[kept])
        inside = [
            element("path", class_="fill", d=f"{outline}z", stroke="none", fill_opacity="0.15"),
            element("path", class_="line", d=outline, fill="none"),
            *(more[place] if place < len(more) else ()),
        ]
        middles = (edges[:-1] + edges[1:]) / 2
        made.append(series(place, name, *inside, points=points_of(middles, heights), shape="point"))
    return made


def hard_subjects_chart(
    hard: HardSubjects, id: str = "hard-subjects", algorithm: str = "", title: str | None = None
) -> Chart:
    """Draw which share of the errors falls on which share of the people, those with most errors first.

    The dashed lines are what chance alone would give: few errors are always those of few people.
    """
    title = title or (f"Whom the errors of {algorithm} fall on" if algorithm else "Whom the errors fall on")
    kinds = {
        "false non-matches": shared_errors(hard, "false_non_matches", "genuine"),
        "false matches": shared_errors(hard, "false_matches", "impostor"),
    }
    shown = {name: found for name, found in kinds.items() if found is not None}
    frame = Frame.of(
        ("linear", 0.0, 1.0, "rate"),
        ("linear", 0.0, 1.0, "rate"),
        "share of the people, those with most errors first",
        "share of the errors",
        inset=(0.0, 4.0),
    )
    parts, rows, told = frame.axes(), [], []
    for place, (name, (people, errors, chance_people, chance_errors, total)) in enumerate(shown.items()):
        half, half_by_chance = (
            float(np.interp(0.5, y, x)) for x, y in ((people, errors), (chance_people, chance_errors))
        )
        told.append(
            f"half of the {name} fall on {percent(round(half, 3))} of the people, by chance on {percent(round(half_by_chance, 3))}"
        )
        rows.append((text_cell(name), count_cell(total), rate_cell(half), rate_cell(half_by_chance)))
        drawn = [
            _lorenz(frame, chance_people, chance_errors, "line thin chance"),
            _lorenz(frame, people, errors, "line"),
        ]
        kept = visible(frame.x(people), frame.y(errors))
        points = points_of(people[kept], errors[kept])
        parts.append(series(place, name, *drawn, points=points))
    n = counted(hard.people.height, "person", "people")
    said = f"{n}: {'; '.join(told)}." if told else f"{n}, and no errors."
    heads = columns("errors", "number", "share of people with half of them", "by chance")
    data = table(f"{id}-data", title, heads, rows)
    notes = (
        "Thin: what would be expected if errors fell on comparisons by chance.",
        *map(as_sentence, hard.sentences()),
    )
    drawn_whole = frame.drawing(f"{id}-linear", title, said, parts)
    return Chart(id, title, said, {"linear": drawn_whole}, tuple(shown), data, notes)


def _lorenz(frame: Frame, people: Floats, errors: Floats, look: str) -> str:
    x, y = frame.x(people), frame.y(errors)
    kept = visible(x, y)
    return element("path", class_=look, d=path(x[kept], y[kept]), fill="none")
