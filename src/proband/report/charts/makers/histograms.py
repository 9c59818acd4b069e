"""Charts of distributions: scores, and rates and differences over choices of images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.inference.image_choice.distributions import Distribution
from proband.inference.image_choice.virtual_experiments import VirtualExperiments
from proband.inference.verification.results import Verification
from proband.report import columns as col
from proband.report.charts.palette import PLAIN, SECOND
from proband.report.charts.scales import Floats, Unit
from proband.report.charts.spec import Axis, Chart, Histograms, Outline, listed, some
from proband.report.tables.table import Table
from proband.words import count, counted, effect, effect_interval, given, level, threshold

MOST_BINS = 60


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Scores of one algorithm, counted in bins.

    Attributes
    ----------
    name
        Name of the algorithm.
    edges
        Bin edges, one more than the number of bins.
    genuine, impostor
        Counts of each kind of scores per bin.
    threshold, threshold_label
        Threshold to mark, and its label.
    """

    name: str
    edges: Floats
    genuine: npt.NDArray[np.int64]
    impostor: npt.NDArray[np.int64]
    threshold: float | None = None
    threshold_label: str = "threshold"

    def __post_init__(self) -> None:
        edges = np.asarray(self.edges, dtype=np.float64)
        if not (np.diff(edges) > 0).all() or any(
            np.shape(one) != (len(edges) - 1,) or np.min(one, initial=0) < 0
            for one in (self.genuine, self.impostor)
        ):
            raise UsageError(
                "edges must increase, with one more edge than counts, and counts must not be negative.",
                source=self.name,
            )
        object.__setattr__(self, "edges", edges)

    def fewer(self) -> ScoreCounts:
        """The bins that hold scores, several put together if they are many."""
        held = np.flatnonzero(np.asarray(self.genuine) + np.asarray(self.impostor))
        if not len(held):
            raise UsageError("there are no scores to plot.", source=self.name)
        first, last = int(held[0]), int(held[-1]) + 1
        n_bins = min(last - first, MOST_BINS)
        starts = first + np.arange(n_bins) * (last - first) // n_bins
        genuine, impostor = (
            np.add.reduceat(np.asarray(one)[:last], starts) for one in (self.genuine, self.impostor)
        )
        edges = np.append(self.edges[starts], self.edges[last])
        return replace(self, edges=edges, genuine=genuine, impostor=impostor)


def score_counts(result: Verification) -> ScoreCounts:
    """Count the scores of genuine and of impostor pairs by bins of the score."""
    counts = result.rates.counts.histogram
    first = result.points[0].counts
    if result.rates.larger_is_closer:
        edges, genuine, impostor = counts.edges, counts.genuine, counts.impostor
    else:
        edges, genuine, impostor = -counts.edges[::-1], counts.genuine[::-1], counts.impostor[::-1]
    label = "threshold" if first.target_fmr is None else f"FMR {given(first.target_fmr)}"
    return ScoreCounts(result.algorithm, edges, genuine, impostor, first.threshold, label)


def scores(counts: ScoreCounts, id: str = "scores", title: str | None = None) -> Chart:
    """Chart the densities of genuine and of impostor scores, each with the area 1, and the threshold."""
    few = counts.fewer()
    kinds = {"genuine": few.genuine, "impostor": few.impostor}
    totals = {name: int(np.sum(own)) for name, own in kinds.items()}
    said = f"{count(totals['genuine'])} genuine and {counted(totals['impostor'], 'impostor score')}."
    above = f"{count(totals['genuine'])} genuine, {count(totals['impostor'])} impostor"
    ends = [float(few.edges[0]), float(few.edges[-1])]
    if counts.threshold is not None:
        said += f" {counts.threshold_label}: threshold {threshold(counts.threshold)}."
        above += f"\n{counts.threshold_label}: {threshold(counts.threshold)}"
        ends.append(counts.threshold)
    outlines = tuple(
        Outline(name, few.edges, own / (np.diff(few.edges) * max(totals[name], 1)))
        for name, own in kinds.items()
    )
    return Chart(
        id,
        title or f"Scores of {counts.name}",
        said,
        _axes((min(ends), max(ends)), outlines, "score", "density", "number", y_unit="number"),
        Histograms(outlines, counts.threshold, counts.threshold_label),
        tuple(kinds),
        ("Densities: genuine and impostor scores each have area 1.",),
        above=above,
        data=_bins_table(few, id, title or f"Scores of {counts.name}"),
        see="The less the genuine and impostor scores overlap, the fewer errors at any threshold.",
        places=(PLAIN, SECOND),
    )


def _bins_table(counts: ScoreCounts, id: str, title: str) -> Table:
    """How many scores of either kind are in each bin."""
    ends = counts.edges.tolist()
    return col.table_of(
        f"{title}: counts in bins",
        range(len(counts.genuine)),
        col.threshold("from", lambda at: ends[at]),
        col.threshold("to below", lambda at: ends[at + 1]),
        col.count("genuine", lambda at: int(counts.genuine[at])),
        col.count("impostor", lambda at: int(counts.impostor[at])),
        id=f"{id}-data",
    )


def differences(
    choices: VirtualExperiments,
    pairs: Sequence[tuple[str, str]],
    rank: int = 1,
    confidence_level: float = 0.95,
    id: str = "choice-differences-chart",
) -> Chart:
    """Chart differences of two algorithms' rates over choices of images; trials that the first does not win are shaded."""
    found = [
        (f"{first} − {second}", choices.difference(first, second, rank))
        for first, second in some(pairs, "pairs")
    ]
    told = [
        f"{name}: {effect(one.mean)} points {effect_interval(*one.interval(confidence_level))}, not won in "
        f"{count(choices.not_won(*pair, rank))} of {count(one.n_trials)}"
        for pair, (name, one) in zip(pairs, found, strict=True)
    ]
    trials = counted(choices.n_trials, "choice of images", "choices of images")
    reach = [(one.interval(0.999), one.n) for _, one in found]
    width = max(1, int(np.ceil(max((ends.high - ends.low) * n for ends, n in reach) / (MOST_BINS / 2))))
    chart = over_choices(
        found,
        width,
        f"difference in recognition rate at rank {rank} (percentage points)",
        f"Differences at rank {rank} over choices of images",
        differences=True,
        confidence_level=confidence_level,
    )
    return replace(
        chart,
        id=id,
        description=f"{trials} of {counted(choices.n_subjects, 'person', 'people')}. {listed(told)}.",
        notes=(
            f"Dots and bars: the mean, and the middle {level(confidence_level)} of the choices.",
            "Shaded: the first does not win. The share of these choices is not a p-value: it concerns only images of these people.",
        ),
        answers=choices.answers,
        data=_differences_table(choices, pairs, rank, confidence_level, id),
        see="The further a histogram is to the right of zero, the less the winner depends on the choice of images.",
    )


def over_choices(
    named: Sequence[tuple[str, Distribution]],
    width: int,
    label: str,
    title: str = "",
    above: str = "",
    *,
    differences: bool = False,
    confidence_level: float | None = None,
) -> Chart:
    """Chart rates over choices of images, or differences with the choices that the first does not win shaded.

    Parameters
    ----------
    named
        Labelled distributions.
    width
        The width of a bin, in whole values of 1/n. For differences zero is the last value of its bin, so that the trials at or
        below zero have bins of their own.
    confidence_level
        Level of the interval of trials shown above each with the mean, if any.
    """
    outlines = tuple(
        Outline(
            name,
            *bins(one, width, differences),
            None if confidence_level is None else (one.mean, *one.interval(confidence_level)),
        )
        for name, one in some(named, "distributions")
    )
    low, high = min(float(one.edges[0]) for one in outlines), max(float(one.edges[-1]) for one in outlines)
    half = 0.5 / max(one.n for _, one in named)
    if differences:  # zero is always in view
        reach = 0.04 * (high - low)
        low, high = min(low, -half - reach), max(high, half + reach)
    room = 0.0 if confidence_level is None else 0.08 * min(len(named), 6)
    unit: Unit = "points" if differences else "rate"
    return Chart(
        "over-choices",
        title,
        "",
        _axes((low, high), outlines, label, "share of trials", unit, room),
        Histograms(outlines, 0.0, shaded_to=half) if differences else Histograms(outlines),
        tuple(name for name, _ in named),
        above=above,
    )


def _differences_table(
    choices: VirtualExperiments, pairs: Sequence[tuple[str, str]], rank: int, confidence_level: float, id: str
) -> Table:
    """The mean difference of every pair, and how often the first does not win."""
    return col.table_of(
        f"Differences at rank {rank} over choices of images",
        pairs,
        col.name("first", lambda pair: pair[0]),
        col.name("second", lambda pair: pair[1]),
        col.effect("mean difference, points", lambda pair: choices.difference(*pair, rank).mean),
        col.effect_interval(
            "interval",
            lambda pair: choices.difference(*pair, rank).interval(confidence_level),
            answers=choices.answers,
        ),
        col.share("not won", lambda pair: (choices.not_won(*pair, rank), choices.n_trials)),
        id=f"{id}-data",
    )


def bins(one: Distribution, width: int, zero_last: bool) -> tuple[Floats, Floats]:
    """Edges of the bins that occurred, and the share of trials in each; if asked, zero is the last value of its bin."""
    last = (one.first + len(one.counts) - 0.5) / one.n
    if zero_last and width > 1:
        before = (one.first + width - 1) % width
        padded = np.concatenate([np.zeros(before, dtype=np.int64), one.counts])
        one = replace(one, first=one.first - before, counts=padded)
    edges, counts = one.histogram(width)
    held = np.flatnonzero(counts)
    within = slice(held[0], held[-1] + 1)
    # A bin that reaches beyond the values there can be is drawn as wide as what it can hold.
    return np.minimum(edges[held[0] : held[-1] + 2], last), counts[within] / one.n_trials


def _axes(
    ends: tuple[float, float],
    outlines: Sequence[Outline],
    x_label: str,
    y_label: str,
    unit: Unit,
    room: float = 0.0,
    y_unit: Unit = "rate",
) -> tuple[tuple[Axis, Axis]]:
    """Axes around histograms, with some room above the highest."""
    margin = 0.02 * (ends[1] - ends[0])
    highest = max(float(one.heights.max()) for one in outlines) * (1.05 + room)
    x = Axis(x_label, "linear", ends[0] - margin, ends[1] + margin, unit)
    return ((x, Axis(y_label, "linear", 0.0, highest, y_unit)),)
