"""Figures of rates over many choices of gallery and probe images, as in Beveridge et al. 2001."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.engine.limits import Title
from proband.inference.image_choice.distributions import Distribution, Floats
from proband.report.charts.makers.histograms import over_choices
from proband.report.charts.mpl import figure, legend_beside, set_axis
from proband.report.charts.palette import colour, dashes, marker
from proband.report.charts.spec import Axis, Chart, Histograms, aligned_charts, some
from proband.report.figures.style import GREY, STYLE, head, laid_out
from proband.words import count, counted, level, out_of, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_IN_A_PANEL = 8
_OVERLAP = 1.5  # how many rows high the tallest ridge is


def rate_distributions_figure(
    distributions: Mapping[str, Distribution],
    width: int = 4,
    title: Title | None = None,
    rank: int | None = None,
) -> Figure:
    """Draw the distribution of a recognition rate over trials, for several algorithms (the paper's figure 1).

    Two families of bundled recognisers, such as PCA and LDA, get a panel each; more than eight algorithms get a row each.

    Parameters
    ----------
    distributions
        Distributions by name of the algorithm.
    width
        Width of a bin, in multiples of 1/n.
    title
        Title of the figure.
    rank
        Rank of the recognition rate, for the axis label.
    """
    named = {
        name: (f"{name}  {percent(one.mean, 1)} ± {percent(one.standard_deviation, 1)}", one)
        for name, one in distributions.items()
    }
    said = _said(distributions.values(), width)
    if len(distributions) > _MOST_IN_A_PANEL:
        return _ridges(over_choices(list(named.values()), width, _rate(rank), above=said), title)
    charts = [
        over_choices([named[name] for name in names], width, _rate(rank), family, said)
        for family, names in _families(distributions).items()
    ]
    charts = [
        replace(charts[0], heading="mean ± standard deviation"),
        *(replace(one, above="") for one in charts[1:]),
    ]
    size = _wide_enough(distributions), 1.1 + 2.1 * len(charts)
    return figure(aligned_charts(charts, across=True), size, title=title, legend=legend_beside)


def rank_intervals_figure(
    bands: Mapping[str, Sequence[Distribution]],
    confidence_level: float = 0.95,
    title: Title | None = None,
    note: str = "",
) -> Figure:
    """Draw the mean recognition rate and its percentile interval at each rank (the paper's figure 2).

    Intervals are pointwise; intervals of several algorithms are drawn side by side.

    Parameters
    ----------
    bands
        The distributions at ranks 1, 2, … by the name of the algorithm.
    confidence_level
        Share of trials within an interval.
    title
        Title of the figure.
    note
        Additional text, such as the algorithms not shown.
    """
    every = some([one for members in bands.values() for one in members], "distributions")
    size = _wide_enough(bands), 4.2
    with laid_out(size, title, STYLE["figure.dpi"]) as figure:
        axis = figure.subplots()
        apart = min(0.16, 0.64 / len(bands))
        for style, (name, members) in enumerate(bands.items()):
            ranks = np.arange(1, len(members) + 1, dtype=np.float64) + apart * (style - (len(bands) - 1) / 2)
            _intervals(axis, ranks, members, confidence_level, style, name)
        low, high = axis.get_ylim()
        set_axis(axis, "x", Axis("rank", "linear", 0.5, max(map(len, bands.values())) + 0.5, "count"))
        set_axis(axis, "y", Axis("", "linear", low, high, "rate"))
        axis.grid(visible=False, axis="x")
        axis.set_ylabel(
            f"recognition rate: mean, with pointwise {level(confidence_level)}\n"
            "intervals over image choices of these people"
        )
        head(axis, "", _said(every, None, note))
        axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), alignment="left")
    return figure


def differences_figure(
    distributions: Mapping[tuple[str, str], Distribution],
    width: int = 1,
    title: Title | None = None,
    rank: int | None = None,
    note: str = "",
) -> Figure:
    """Draw the distribution of the difference between two algorithms over trials (the paper's figure 3).

    The legend counts the trials in which A does not win: choices of images of these people, not a p-value.

    Parameters
    ----------
    distributions
        Differences A − B, by names of A and B.
    width
        The width of a bin, in whole values of 1/n. Zero is the last value of its bin, so that the trials at or below zero
        have bins of their own.
    title
        Title of the figure.
    rank
        Rank of the recognition rate, for the axis label.
    note
        Additional text, such as the pairs not shown.
    """
    label = f"difference in {_rate(rank)}, A − B (percentage points)"
    ridges = len(distributions) > _MOST_IN_A_PANEL
    between = "\n" if ridges else ": "
    named = [
        (f"{a} − {b}{between}A does not win in {out_of(one.at_most(), one.n_trials)}", one)
        for (a, b), one in distributions.items()
    ]
    said = _said(distributions.values(), width, "shaded: A does not win", note)
    chart = over_choices(named, width, label, above=said, differences=True)
    if ridges:
        return _ridges(chart, title)
    size = _wide_enough((name for name, _ in named), 1.0), 3.2 + 0.2 * len(named)
    return figure([chart], size, title=title, headed=False)


def _families(distributions: Iterable[str]) -> dict[str, list[str]]:
    """Part two families of two or more; anything else stays together, without a heading."""
    from proband.algorithms.registry import family_of

    families: dict[str, list[str]] = {}
    for name in distributions:
        families.setdefault(family_of(name) or "", []).append(name)
    if len(families) == 2 and all(family and len(names) > 1 for family, names in families.items()):
        return families
    return {"": list(distributions)}


def _ridges(chart: Chart, title: str | None) -> Figure:
    """Draw the outlines of a chart one per row on a common scale, which keeps many distributions legible."""
    marks = chart.marks
    assert isinstance(marks, Histograms)
    highest = max(float(one.heights.max()) for one in marks.outlines)
    rows = len(marks.outlines)
    size = (
        _wide_enough(chart.names),
        1.1 + (0.32 if marks.reference is None else 0.44) * (rows + _OVERLAP - 1),
    )
    with laid_out(size, title, STYLE["figure.dpi"]) as figure:
        axis = figure.subplots()
        for row, one in enumerate(marks.outlines):
            heights = _OVERLAP * one.heights / highest - row
            look: Any = {"baseline": -float(row), "color": colour(row), "zorder": 2 + row}
            axis.stairs(heights, one.edges, fill=True, alpha=0.35, **look)
            axis.stairs(heights, one.edges, linewidth=1.2, **look)
        set_axis(axis, "x", chart.axes[0][0])
        axis.grid(visible=False, axis="x")
        if marks.shaded_to is not None and marks.reference is not None:
            axis.axvspan(axis.get_xlim()[0], marks.shaded_to, color="#F1F1F1", zorder=0)
            axis.axvline(marks.reference, color=GREY, linewidth=1.0, zorder=1)
        axis.set_yticks(-np.arange(rows, dtype=float), chart.names, va="bottom")
        top = max(
            _OVERLAP * float(one.heights.max()) / highest - row for row, one in enumerate(marks.outlines)
        )
        axis.set_ylim(0.6 - rows, top + 0.15)
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
        axis.grid(visible=True, axis="y")
        head(axis, "", fill(f"{chart.above}; highest bin {percent(highest, 1)}", 90))
    return figure


def _intervals(
    axis: Axes, ranks: Floats, members: Sequence[Distribution], level: float, style: int, name: str
) -> None:
    """Draw means and intervals of one algorithm; a mean may lie outside its interval, as error bars may not."""
    tint = colour(style)
    ends = np.array([one.interval(level) for one in members]).reshape(-1, 2)
    axis.vlines(ranks, ends[:, 0], ends[:, 1], color=tint, linewidth=1.4)
    for end in ends.T:
        axis.plot(ranks, end, linestyle="none", marker="_", markersize=5, color=tint)
    axis.plot(
        ranks,
        [one.mean for one in members],
        marker=marker(style),
        markersize=4.5,
        linewidth=1.0,
        linestyle=dashes(style),
        color=tint,
        label=name,
    )


def _rate(rank: int | None) -> str:
    return "recognition rate" if rank is None else f"recognition rate at rank {rank}"


def _wide_enough(labels: Iterable[str], beside: float = 5.0) -> float:
    """Figure width in inches needed for the labels and the text next to them."""
    longest = max((len(line) for label in labels for line in label.splitlines()), default=0)
    return max(7.4, beside + 0.08 * longest)


def _said(drawn: Collection[Distribution], width: int | None = None, *more: str) -> str:
    """State what was counted, as far as it is common to everything drawn."""
    trials, people = {one.n_trials for one in drawn}, {one.n for one in drawn}
    said = counted(trials.pop(), "image choice") if len(trials) == 1 else "image choices"
    if len(people) == 1:
        n = people.pop()
        said += f" of {counted(n, 'person', 'people')}" + (
            "" if width is None else f"; bins of {width}/{count(n)}"
        )
    return fill("; ".join(part for part in (said, *more) if part), 90)
