"""Estimates as dots with their intervals, and algorithms against the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from proband.inference import Comparison, Estimate
from proband.report.figures.style import COLOURS
from proband.report.figures.verification_axes import GREY, laid_out
from proband.words import level

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW = 0.24  # inches


def estimates_figure(estimates: Sequence[Estimate], width: float = 5.4, title: str | None = None) -> Figure:
    """Draw each algorithm's estimate with its interval, in the order given from the top.

    Parameters
    ----------
    estimates
        Of one measure.
    width
        Of the figure, in inches.
    title
        A heading for the whole figure.
    """
    with laid_out((width, 1.0 + _ROW * len(estimates)), title) as figure:
        axis = figure.subplots()
        _dots(axis, [(one.facts.algorithm, one.value, one.low, one.high) for one in estimates])
        first = estimates[0]
        axis.set_xlabel(f"{first.answers.of}, {level(first.confidence_level)} intervals")
    return figure


def comparison_figure(comparison: Comparison, width: float = 7.16, title: str | None = None) -> Figure:
    """Draw the estimates, the best first, and beside them what each one lacks against the best.

    The shaded differences are within the margin: not worth having.

    Parameters
    ----------
    comparison
        Two or more algorithms.
    width
        Of the figure, in inches; the panels stand below one another where they have no room side by side.
    title
        A heading for the whole figure.
    """
    ordered = comparison.ordered
    names = [one.facts.algorithm for one in ordered]
    narrow = width < 5.5
    height = (1.0 + _ROW * len(names)) * (2 if narrow else 1)
    with laid_out((width, height), title) as figure:
        above, below = figure.subplots(*((2, 1) if narrow else (1, 2)))
        _dots(above, [(one.facts.algorithm, one.value, one.low, one.high) for one in ordered])
        above.set_xlabel(str(ordered[0].answers.of))
        _dots(below, _against(comparison, names[0], names[1:]), style=1)
        if comparison.margin is not None:
            margin = _scale(comparison) * comparison.margin
            below.axvspan(-margin, margin, color="#999999", alpha=0.18, linewidth=0)
        below.axvline(0, color=GREY, linewidth=0.8)
        unit = " in points" if comparison.pairs[0].in_points else ""
        below.set_xlabel(f"difference from the best{unit}, {level(comparison.confidence_level)} intervals")
    return figure


def _against(
    comparison: Comparison, best: str, others: Sequence[str]
) -> list[tuple[str, float, float, float]]:
    """The difference of each of the others from the best, whichever way round they were compared."""
    k = _scale(comparison)
    found = {}
    for pair in comparison.pairs:
        if pair.second == best:
            found[pair.first] = (pair.first, k * pair.difference, k * pair.low, k * pair.high)
        elif pair.first == best:
            found[pair.second] = (pair.second, -k * pair.difference, -k * pair.high, -k * pair.low)
    return [found[name] for name in others]


def _scale(comparison: Comparison) -> float:
    return 100.0 if comparison.pairs[0].in_points else 1.0


def _dots(axis: Axes, rows: Sequence[tuple[str, float, float, float]], style: int = 0) -> None:
    for place, (_name, value, low, high) in enumerate(rows):
        axis.plot([low, high], [place, place], color=COLOURS[style], linewidth=1.6, solid_capstyle="butt")
        axis.plot([value], [place], marker="o", markersize=4.5, color=COLOURS[style])
    axis.set_yticks(range(len(rows)), [name for name, *_ in rows])
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.grid(visible=True, axis="x")
