"""Figures of rates over many choices of gallery and probe images, as in Beveridge et al. 2001."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from proband.engine.limits import Title
from proband.errors import UsageError
from proband.inference.image_choice.distributions import Distribution, Floats
from proband.report.charts.makers.histograms import bins
from proband.report.charts.palette import colour, dashes, marker
from proband.report.figures.style import GREY, STYLE, laid_out
from proband.words import count, counted, level, out_of, percent, trimmed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_IN_A_PANEL, _MOST_TINTED = 8, 4
_SHADE = "#F1F1F1"
_SHADED = "shaded: A does not win"
_MOMENTS = "mean ± standard deviation"
Named = Sequence[tuple[str, Distribution]]
"""Distributions, each with its label: two labels may be the same words."""
_OVERLAP = 1.5  # how many rows high the tallest ridge is


def rate_distributions_figure(
    distributions: Mapping[str, Distribution],
    width: int = 4,
    title: Title | None = None,
    rank: int | None = None,
) -> Figure:
    """Draw how a recognition rate varies over trials, for several algorithms (the paper's figure 1).

    Two families of bundled recognisers, such as PCA and LDA, have a panel each; more than eight algorithms a row each.

    Parameters
    ----------
    distributions
        By the name of the algorithm.
    width
        The width of a bin, in whole values of 1/n.
    title
        A heading for the whole figure.
    rank
        Which recognition rate it is, for the label of the axis.
    """
    label = _rate(rank)
    if len(distributions) > _MOST_IN_A_PANEL:
        named = [(f"{name}  {_moments(one)}", one) for name, one in distributions.items()]
        return _ridges(named, width, title, label)
    panels = _families(distributions)
    size = _wide_enough(distributions), 1.1 + 2.1 * len(panels)
    with _panels(distributions.values(), title, size, len(panels)) as (figure, axes):
        for axis, (family, members) in zip(axes, panels.items(), strict=True):
            named = [(f"{name}  {_moments(one)}", one) for name, one in members.items()]
            _outlines(axis, named, width)
            axis.set_title(f"{family}\n" if family and axis is axes[0] else family, pad=2)
            _legend_beside(axis, _MOMENTS if axis is axes[0] else None)
        _label_shares(axes, label)
        _say(axes[0], distributions.values(), width)
    return figure


def rank_intervals_figure(
    bands: Mapping[str, Sequence[Distribution]],
    confidence_level: float = 0.95,
    title: Title | None = None,
    note: str = "",
) -> Figure:
    """Draw the mean recognition rate and its percentile interval at each rank (the paper's figure 2).

    Each interval is for its rank alone; those of several algorithms stand side by side.

    Parameters
    ----------
    bands
        The distributions at ranks 1, 2, … by the name of the algorithm.
    confidence_level
        The share of trials that an interval holds.
    title
        A heading for the whole figure.
    note
        What else is to be said, such as which algorithms are not drawn.
    """
    from matplotlib.ticker import MaxNLocator

    every = [one for members in bands.values() for one in members]
    with _panels(every, title, (_wide_enough(bands), 4.2)) as (figure, (axis,)):
        apart = min(0.16, 0.64 / len(bands))
        for style, (name, members) in enumerate(bands.items()):
            ranks = np.arange(1, len(members) + 1, dtype=np.float64) + apart * (style - (len(bands) - 1) / 2)
            _intervals(axis, ranks, members, confidence_level, style, name)
        axis.set_xlim(0.5, max(map(len, bands.values())) + 0.5)
        axis.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
        axis.yaxis.set_major_formatter(_percent)
        axis.grid(visible=True, axis="y")
        axis.set_xlabel("rank")
        axis.set_ylabel(
            f"recognition rate: mean, with pointwise {level(confidence_level)}\n"
            "intervals over image choices of these people"
        )
        _say(axis, every, None, note)
        _legend_beside(axis)
    return figure


def differences_figure(
    distributions: Mapping[tuple[str, str], Distribution],
    width: int = 1,
    title: Title | None = None,
    rank: int | None = None,
    note: str = "",
) -> Figure:
    """Draw how the difference of two algorithms varies over trials (the paper's figure 3).

    The legend counts the trials in which A does not win: choices of images of these people, not a p-value.

    Parameters
    ----------
    distributions
        Differences A − B by the names of A and B.
    width
        The width of a bin, in whole values of 1/n. Zero is the last value of its bin, so that the trials at or below zero
        have bins of their own.
    title
        A heading for the whole figure.
    rank
        Which recognition rate differs, for the label of the axis.
    note
        What else is to be said, such as which pairs are not drawn.
    """
    label = f"difference in {_rate(rank)}, A − B (percentage points)"
    ridges = len(distributions) > _MOST_IN_A_PANEL
    between = "\n" if ridges else ": "
    named = [
        (f"{a} − {b}{between}A does not win in {out_of(one.at_most(), one.n_trials)}", one)
        for (a, b), one in distributions.items()
    ]
    if ridges:
        return _ridges(named, width, title, label, note, differences=True)
    drawn, size = distributions.values(), (_wide_enough(_labels(named), 1.0), 3.2 + 0.2 * len(named))
    with _panels(drawn, title, size) as (figure, axes):
        _outlines(axes[0], named, width, differences=True)
        _label_shares(axes, label)
        _mark_zero(axes[0], drawn)
        _say(axes[0], drawn, width, _SHADED, note)
        figure.legend(loc="outside lower center")
    return figure


@contextmanager
def _panels(
    drawn: Collection[Distribution], title: str | None, size: tuple[float, float], rows: int = 1
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Give a figure with panels below one another."""
    if not drawn:
        raise UsageError("There are no distributions to draw.")
    with laid_out(size, title, STYLE["figure.dpi"]) as figure:
        yield figure, list(figure.subplots(rows, 1, squeeze=False, sharex=True, sharey=True).flat)


def _families(distributions: Mapping[str, Distribution]) -> dict[str, dict[str, Distribution]]:
    """Part two families of two or more; anything else stays together, without a heading."""
    from proband.algorithms.registry import family_of

    families: dict[str, dict[str, Distribution]] = {}
    for name, one in distributions.items():
        families.setdefault(family_of(name) or "", {})[name] = one
    if len(families) == 2 and all(family and len(members) > 1 for family, members in families.items()):
        return families
    return {"": dict(distributions)}


def _outlines(axis: Axes, named: Named, width: int, *, differences: bool = False) -> None:
    """Draw histograms over one another, as outlines, tinted if there are few."""
    for style, (name, one) in enumerate(named):
        edges, shares = bins(one, width, differences)
        tint = colour(style)
        if len(named) <= _MOST_TINTED:
            axis.stairs(shares, edges, fill=True, color=tint, alpha=0.13, linewidth=0)
        axis.stairs(shares, edges, color=tint, linestyle=dashes(style), linewidth=1.6, zorder=3, label=name)


def _ridges(
    named: Named,
    width: int,
    title: str | None,
    label: str,
    note: str = "",
    *,
    differences: bool = False,
) -> Figure:
    """Draw a histogram a row, all on one scale: what many distributions stay readable as."""
    labels, drawn = _labels(named), [one for _, one in named]
    parts = [bins(one, width, differences) for one in drawn]
    highest = max(float(shares.max()) for _, shares in parts)
    size = _wide_enough(labels), 1.1 + (0.44 if differences else 0.32) * (len(named) + _OVERLAP - 1)
    with _panels(drawn, title, size) as (figure, (axis,)):
        for row, (edges, shares) in enumerate(parts):
            base = -float(row)
            tint = colour(row)
            heights = base + _OVERLAP * shares / highest
            axis.stairs(heights, edges, baseline=base, fill=True, color=tint, alpha=0.35, zorder=2 + row)
            axis.stairs(heights, edges, baseline=base, color=tint, linewidth=1.2, zorder=2 + row)
        axis.set_yticks(-np.arange(len(named), dtype=float), labels, va="bottom")
        tops = [_OVERLAP * float(shares.max()) / highest - row for row, (_, shares) in enumerate(parts)]
        axis.set_ylim(0.6 - len(named), max(tops) + 0.15)
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
        axis.grid(visible=True, axis="y")
        axis.set_axisbelow(True)
        if differences:
            _mark_zero(axis, drawn)
        else:
            axis.xaxis.set_major_formatter(_percent)
        axis.set_xlabel(label)
        _say(
            axis,
            drawn,
            width,
            f"highest bin {percent(highest, 1)}",
            _SHADED if differences else "",
            note,
        )
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


def _percent(value: float, _: object = None) -> str:
    """A share; a wide bin may make an axis reach where none can be."""
    return f"{trimmed(100 * value)}%" if -1e-9 < value < 1 + 1e-9 else ""


def _labels(named: Named) -> list[str]:
    return [label for label, _ in named]


def _wide_enough(labels: Iterable[str], beside: float = 5.0) -> float:
    """How many inches a figure needs for its labels and what stands beside them."""
    longest = max((len(line) for label in labels for line in label.splitlines()), default=0)
    return max(7.4, beside + 0.08 * longest)


def _moments(one: Distribution) -> str:
    return f"{percent(one.mean, 1)} ± {percent(one.standard_deviation, 1)}"


def _legend_beside(axis: Axes, title: Title | None = None) -> None:
    """Put the legend to the right of its panel, where nothing is drawn."""
    axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), title=title, alignment="left")


def _label_shares(axes: Sequence[Axes], label: str) -> None:
    """Label what is common to all panels of histograms."""
    axes[-1].set_xlabel(label)
    for axis in axes:
        axis.xaxis.set_major_formatter(_percent)
        axis.yaxis.set_major_formatter(_percent)
        axis.set_ylabel("share of trials")
        axis.set_ylim(bottom=0)
        axis.grid(visible=True, axis="y")
        axis.set_axisbelow(True)


def _mark_zero(axis: Axes, drawn: Collection[Distribution]) -> None:
    """Draw the line at zero, and shade where A does not win: zero included, hence half a value beyond the line."""
    half = 0.5 / max(one.n for one in drawn)
    left, right = axis.get_xlim()
    reach = 0.04 * (right - left)
    left, right = min(left, -half - reach), max(right, half + reach)  # zero is always in view
    axis.set_xlim(left, right)
    axis.axvspan(left, half, color=_SHADE, zorder=0)
    axis.axvline(0, color=GREY, linewidth=1.0, zorder=1)
    axis.xaxis.set_major_formatter(_points)


def _points(value: float, _: object = None) -> str:
    """A difference in percentage points, with its sign."""
    return trimmed(100 * value, sign=True)


def _say(axis: Axes, drawn: Collection[Distribution], width: int | None = None, *more: str) -> None:
    """Say above a panel what was counted, as far as it is the same for all that is drawn."""
    trials, people = {one.n_trials for one in drawn}, {one.n for one in drawn}
    said = counted(trials.pop(), "image choice") if len(trials) == 1 else "image choices"
    if len(people) == 1:
        n = people.pop()
        said += f" of {counted(n, 'person', 'people')}" + (
            "" if width is None else f"; bins of {width}/{count(n)}"
        )
    text = fill("; ".join(part for part in (said, *more) if part), 90)
    axis.text(0, 1.02, text, transform=axis.transAxes, fontsize=8, color=GREY)
