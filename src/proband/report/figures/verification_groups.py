"""Figures of error rates by group of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from proband.errors import UsageError
from proband.measures.verification import SUPPORTED
from proband.report.figures.verification_axes import GREY, colour, laid_out, rate_axis
from proband.words import counted, out_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rate = Literal["fmr", "fnmr"]


@dataclass(frozen=True)
class GroupErrors:
    """Errors of one group of people at a threshold that all groups share.

    Attributes
    ----------
    name
        The group.
    false_matches, n_impostor, false_non_matches, n_genuine
        Its errors, and of how many comparisons.
    fmr_interval, fnmr_interval
        Intervals for its rates, if there are any.
    """

    name: str
    false_matches: int
    n_impostor: int
    false_non_matches: int
    n_genuine: int
    fmr_interval: tuple[float, float] | None = None
    fnmr_interval: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for errors, n in (self.counts("fmr"), self.counts("fnmr")):
            if not 0 <= errors <= n:
                raise UsageError(
                    f"{counted(errors, 'error')} of {counted(n, 'comparison')} cannot be.", source=self.name
                )

    def counts(self, rate: Rate) -> tuple[int, int]:
        """The errors that a rate is of, and the comparisons."""
        return (
            (self.false_matches, self.n_impostor)
            if rate == "fmr"
            else (self.false_non_matches, self.n_genuine)
        )

    def rate(self, rate: Rate) -> float:
        """A rate, NaN if it is of no comparisons."""
        errors, n = self.counts(rate)
        return errors / n if n else float("nan")


def groups_figure(
    groups: Sequence[GroupErrors],
    by: Rate = "fmr",
    note: str = "",
    title: str | None = None,
) -> Figure:
    """Draw FNMR and FMR of several groups of people at one threshold, with their intervals.

    Points are hollow where fewer than 30 errors are behind them, and arrows where there are none. The dashed line is the
    rate of all groups together.

    Parameters
    ----------
    groups
        Errors of each group.
    by
        The rate that groups are sorted by, the highest first.
    note
        What the threshold is, and what the intervals are.
    title
        A heading for the whole figure.
    """
    if not groups:
        raise UsageError("There are no groups to draw.")
    if by not in get_args(Rate):
        raise UsageError(f"Groups are sorted by 'fmr' or 'fnmr', not {by!r}.")
    ordered = sorted(groups, key=lambda group: -np.nan_to_num(group.rate(by), nan=-1.0))
    names = [fill(group.name, 32) for group in ordered]
    lines = sum(name.count("\n") + 1 for name in names)
    longest = max(len(line) for name in names for line in name.splitlines())
    with laid_out((7.6 + 0.07 * longest, 1.5 + 0.26 * max(len(names), lines * 0.7)), title) as figure:
        axes = figure.subplots(1, 2, sharey=True)
        _draw_groups(axes[0], ordered, "fnmr")
        _draw_groups(axes[1], ordered, "fmr")
        axes[0].set_yticks(range(len(ordered)), names)
        axes[0].set_ylim(len(ordered) - 0.4, -0.6)
        axes[0].set_xlabel("false non-match rate (FNMR)")
        axes[1].set_xlabel("false match rate (FMR)")
        said = (
            f"hollow: fewer than {SUPPORTED} errors, arrows: none; dashed: all groups; sorted by {by.upper()}"
        )
        text = fill("; ".join(part for part in (note, said) if part), int(15 * figure.get_figwidth()))
        figure.supxlabel(text, x=0.01, ha="left", fontsize=8, color=GREY)
    return figure


def _draw_groups(axis: Axes, groups: Sequence[GroupErrors], rate: Rate) -> None:
    """Draw one rate of all groups, and beside each how many errors it is of how many comparisons."""
    rates = [group.rate(rate) for group in groups]
    intervals = [group.fmr_interval if rate == "fmr" else group.fnmr_interval for group in groups]
    left, right = _group_limits(rates, intervals)
    rate_axis(axis, "x", "log", left, right, most=5)
    axis.set_autoscale_on(False)
    axis.grid(visible=True)
    axis.set_axisbelow(True)
    axis.tick_params(axis="y", length=0, pad=8)
    axis.spines["left"].set_visible(False)
    errors, n = (sum(parts) for parts in zip(*(group.counts(rate) for group in groups), strict=True))
    if errors:
        axis.axvline(errors / n, color=GREY, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5)
    for row, (group, interval) in enumerate(zip(groups, intervals, strict=True)):
        _draw_group(axis, row, group.counts(rate), interval, colour(0 if rate == "fnmr" else 1))


def _draw_group(
    axis: Axes, row: int, counts: tuple[int, int], interval: tuple[float, float] | None, tint: str
) -> None:
    """Draw one rate of one group; a rate of 0 is beyond a logarithmic axis."""
    errors, n = counts
    start = axis.get_xlim()[0]
    if interval is not None:
        low, high = np.maximum(interval, start)
        axis.hlines(row, low, high, color=tint, linewidth=1.5, zorder=2)
    look: Any = {"color": tint, "zorder": 3, "clip_on": False}
    look["markerfacecolor"] = tint if errors >= SUPPORTED else "white"
    if errors:
        axis.plot([errors / n], [row], marker="o", markersize=5.5, **look)
    elif n:
        axis.plot([start], [row], marker="<", markersize=6, **look)
    axis.text(
        1.02, row, out_of(errors, n) if n else "none compared", transform=axis.get_yaxis_transform(),
        fontsize=7.5, color=GREY, va="center",
    )  # fmt: skip


def _group_limits(
    rates: Sequence[float], intervals: Sequence[tuple[float, float] | None]
) -> tuple[float, float]:
    """The lowest and the highest rate to draw, with room for groups without errors."""
    ends = [end for interval in intervals if interval is not None for end in interval]
    shown = [value for value in (*rates, *ends) if value > 0]
    if not shown:
        return 0.01, 1.0
    low, high = min(shown), max(shown)
    if any(value == 0 for value in rates):
        low /= 2
    return max(low, high / 1e6), min(max(1.3 * high, 4 * low), 1.0)
