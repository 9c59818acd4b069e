"""Figures of scores, and of rates by the size of the gallery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError
from proband.report.figures.verification_axes import (
    GREY,
    aligned,
    colour,
    dashes,
    laid_out,
    rate_label,
    say_above,
)
from proband.report.figures.verification_curves import Floats
from proband.words import count, counted, threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = "osD^vPX*"
_FEW_SIZES = 25


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Scores of one algorithm, counted in bins.

    Attributes
    ----------
    name
        The algorithm.
    edges
        Of the bins, one more than there are bins.
    genuine, impostor
        How many scores of either kind are in each bin.
    threshold, threshold_label
        A threshold to mark, and what it is.
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
                "a histogram has rising edges, one more than counts, and no negative counts.",
                source=self.name,
            )
        object.__setattr__(self, "edges", edges)


def score_histograms_figure(panels: Sequence[ScoreCounts], title: str | None = None) -> Figure:
    """Draw the densities of genuine and of impostor scores, a panel for each algorithm.

    Each kind has the area 1, however many scores there are of it.

    Parameters
    ----------
    panels
        Counts for each algorithm.
    title
        A heading for the whole figure.
    """
    if not panels:
        raise UsageError("There are no scores to draw.")
    columns = 1 if len(panels) == 1 else 2 if len(panels) in (2, 4) else 3
    rows = -(-len(panels) // columns)
    with laid_out((max(5.4, 3.3 * columns), 0.5 + 2.5 * rows), title) as figure:
        axes = figure.subplots(rows, columns, squeeze=False)
        for axis, panel in zip(axes.flat, panels, strict=False):
            _draw_scores(axis, panel)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[:, 0]:
            axis.set_ylabel("density")
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def gallery_size_figure(
    sizes: Sequence[int],
    rates: Mapping[str, npt.ArrayLike],
    bands: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]] | None = None,
    quantity: str = "recognition rate at rank 1",
    title: str | None = None,
) -> Figure:
    """Draw how a rate depends on the size of the gallery, on a logarithmic axis of sizes.

    Parameters
    ----------
    sizes
        How many people are enrolled.
    rates
        The rate at each size, by the name of the algorithm.
    bands
        Lower and upper limits at each size, by the name of the algorithm.
    quantity
        What the rate is, such as ``FPIR at the threshold 0.6``.
    title
        A heading for the whole figure.
    """
    at = np.asarray(sizes, dtype=np.float64)
    drawn = {name: np.asarray(one, dtype=np.float64) for name, one in rates.items()}
    limits = {name: np.asarray(pair, dtype=np.float64) for name, pair in (bands or {}).items()}
    if not drawn or not at.size or at.min() < 1 or not (np.diff(at) > 0).all():
        raise UsageError(
            "There is nothing to draw.", "give rising gallery sizes, and a rate at each by name."
        )
    for name, one in drawn.items():
        if one.shape != at.shape or limits.get(name, np.stack([one, one])).shape != (2, len(at)):
            raise UsageError(f"{name}: there is one rate for each gallery size, and one pair of limits.")
    lasts = aligned([float(one[-1]) for one in drawn.values()])
    labels = [fill(f"{last}  {name}", 100) for last, name in zip(lasts, drawn, strict=True)]
    longest = max(len(line) for label in labels for line in label.splitlines())
    with laid_out((min(max(6.4, 1.6 + 0.075 * longest), 9.0), 3.6 + 0.18 * len(drawn)), title) as figure:
        axis = figure.subplots()
        for style, (name, one) in enumerate(drawn.items()):
            if name in limits:
                axis.fill_between(at, *limits[name], color=colour(style), alpha=0.14, linewidth=0)
            axis.plot(
                at, one, color=colour(style), linestyle=dashes(style), linewidth=1.8, label=labels[style],
                marker=_MARKERS[style % len(_MARKERS)] if len(at) <= _FEW_SIZES else None, markersize=4.5,
            )  # fmt: skip
        _size_axis(axis, at)
        _rate_limits(axis)
        axis.grid(visible=True, which="major")
        axis.set_axisbelow(True)
        axis.set_ylabel(fill(quantity, 40))
        figure.legend(
            loc="outside lower center", title=f"with {counted(int(at[-1]), 'person', 'people')}", alignment="left",
            ncols=1 if len(drawn) < 4 or longest > 38 else 2, handlelength=3.0,
        )  # fmt: skip
    return figure


def _size_axis(axis: Axes, sizes: Floats) -> None:
    """Make the horizontal axis one of gallery sizes."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_xscale("log")
    axis.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.12)
    digits = (1, 2, 5) if sizes[-1] < 3000 * sizes[0] else (1,)
    axis.xaxis.set_major_locator(LogLocator(base=10, subs=digits))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda size, _: count(size)))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel("people in the gallery")


def _draw_scores(axis: Axes, panel: ScoreCounts) -> None:
    """Draw one panel of densities, tinted, and the threshold if there is one."""
    edges = panel.edges
    for style, (kind, counts) in enumerate((("genuine", panel.genuine), ("impostor", panel.impostor))):
        total = int(np.sum(counts))
        density = counts / (np.diff(edges) * max(total, 1))
        axis.stairs(density, edges, fill=True, color=colour(style), alpha=0.18, linewidth=0)
        axis.stairs(density, edges, color=colour(style), linestyle=dashes(style), linewidth=1.4, label=kind)
    axis.set_ylim(bottom=0)
    axis.set_yticks([])
    held = np.flatnonzero(np.asarray(panel.genuine) + np.asarray(panel.impostor))
    if len(held):
        ends = [edges[held[0]], edges[held[-1] + 1], *([] if panel.threshold is None else [panel.threshold])]
        margin = 0.02 * (max(ends) - min(ends))
        axis.set_xlim(min(ends) - margin, max(ends) + margin)
    note = f"{count(int(np.sum(panel.genuine)))} genuine, {count(int(np.sum(panel.impostor)))} impostor"
    if panel.threshold is not None:
        axis.axvline(panel.threshold, color=GREY, linewidth=1.0, zorder=3)
        note += "\n" + fill(f"{panel.threshold_label}: {threshold(panel.threshold)}", 44)
    axis.set_title(fill(panel.name, 36), pad=5 + 11 * (note.count("\n") + 1))
    axis.set_xlabel("score")
    say_above(axis, note)


def _rate_limits(axis: Axes) -> None:
    """Keep an axis of rates within 0 and 1, a little beyond where lines would be cut."""
    low, high = axis.get_ylim()
    reach = min(high, 1.0) - max(low, 0.0)
    axis.set_ylim(max(low, -0.012 * reach), min(high, 1 + 0.012 * reach))
    axis.yaxis.set_major_formatter(lambda rate, _: rate_label(rate) if -1e-9 < rate < 1 + 1e-9 else "")
