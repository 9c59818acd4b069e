"""The figure of average ranks: algorithms on a line, and bars that join those that are not significantly different."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.engine.limits import Inches, Title
from proband.errors import UsageError
from proband.inference.datasets.results import DatasetComparison, DatasetDifference
from proband.report.charts.makers.rows import Valued, values
from proband.report.charts.mpl import printed
from proband.report.figures.style import laid_out
from proband.words import fixed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = ("ranks", "differences")
_LINE = 0.22  # inches of height for a name


def datasets_figure(
    result: DatasetComparison, which: str = "ranks", width: Inches = 7.16, title: Title | None = None
) -> Figure:
    """Draw average ranks with bars over those that Holm's signed ranks do not tell apart, or the differences in every data set.

    Parameters
    ----------
    which
        ``ranks`` or ``differences``.
    """
    if which == "differences":
        return _differences(result, width, title)
    if which != "ranks":
        raise UsageError(f"There is no figure {which!r}.", f"there are: {', '.join(FIGURES)}.")
    names, ranks = result.algorithms, result.average_ranks
    half = (len(names) + 1) // 2
    bars = len(result.groups)
    height = _LINE * (half + bars + 3)
    with laid_out((width, height), title) as figure:
        axis = figure.subplots()
        axis.set_xlim(0.5, len(names) + 0.5)
        axis.set_ylim(-(half + bars + 0.7), 0.4)
        axis.xaxis.set_ticks_position("top")
        axis.xaxis.set_label_position("top")
        axis.set_xlabel("average rank (1 is the best)")
        axis.set_yticks([])
        for side in ("left", "right", "bottom"):
            axis.spines[side].set_visible(False)
        for line, group in enumerate(result.groups):
            ends = [ranks[names.index(name)] for name in (group[0], group[-1])]
            axis.plot(
                [ends[0] - 0.04, ends[1] + 0.04],
                [-0.5 - line] * 2,
                color="0.25",
                linewidth=3,
                solid_capstyle="butt",
            )
        for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
            left = place < half
            line = bars + (place if left else len(names) - 1 - place)
            end = 0.5 if left else len(names) + 0.5
            axis.plot([rank, rank, end], [0, -line - 0.5, -line - 0.5], color="0.5", linewidth=0.8)
            axis.text(
                end, -line - 0.45, f"{name} {fixed(rank, 2)}", ha="left" if left else "right", va="bottom", fontsize="small"
            )  # fmt: skip
    return figure


def _differences(result: DatasetComparison, width: float, title: str | None) -> Figure:
    """Every difference with its interval, a panel for each pair: every data set, their mean, and another data set."""
    charts = []
    for pair in result.pairs:
        own = [one for one in result.by_dataset if (one.first, one.second) == (pair.first, pair.second)]
        rows = [_about(one) for one in own]
        if pair.pooled is not None:
            mean = pair.pooled
            rows.append(Valued("mean", mean.difference, mean.low, mean.high))
            if mean.prediction_low is not None:
                rows.append(
                    Valued(
                        "another data set", mean.difference, mean.prediction_low, mean.prediction_high, False
                    )
                )
        charts.append(
            values(rows, "difference (percentage points)", "points", title=f"{pair.first} − {pair.second}")
        )
    return printed(charts, title, width, columns=1)


def _about(one: DatasetDifference) -> Valued:
    reach = 0.0 if one.standard_error is None else 1.96 * one.standard_error
    return Valued(one.dataset, one.difference, one.difference - reach, one.difference + reach)
