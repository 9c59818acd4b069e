"""Figures of the study of Mery et al. (2016): training data, single runs, and people who are in training and test both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.papers.mery2016 import CLASSIFIERS, SHARES, Mery2016, by_person, found, mean_over
from proband.papers.mery2016_tables import SingleRuns
from proband.protocols.running.results import ProtocolRun
from proband.report.charts.palette import COLOURS, DASHES
from proband.report.figures.style import STYLE
from proband.words import counted, given, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = "os"
_SAID: dict[str, Any] = {"fontsize": 8, "color": "#555555"}


def growth_figure(study: Mery2016) -> Figure:
    """Draw mean accuracy against the share of training images, by people in the gallery and by images of each."""
    people, images = max(study.galleries), max(study.images)
    by_size = [(counted(size, "person", "people"), runs) for size, runs in study.galleries.items()]
    by_images = [(f"{count} images", (run,)) for count, run in study.images.items()]

    def draw(axes: Sequence[Axes]) -> None:
        _lines(axes[0], by_size, f"people in the gallery ({images} images of each)")
        _lines(axes[1], by_images, f"images of each person ({counted(people, 'person', 'people')})")
        axes[0].set_ylabel("mean accuracy")

    return _figure(2, 4.4, 3.9, draw, shared=False)


def _lines(axis: Axes, groups: Sequence[tuple[str, Sequence[ProtocolRun]]], title: str) -> None:
    for which, name in enumerate(CLASSIFIERS):
        for dash, (label, runs) in enumerate(groups):
            axis.plot(
                list(SHARES.values()),
                [mean_over(runs, name, column) for column in SHARES],
                color=COLOURS[which],
                linestyle=DASHES[dash],
                marker=_MARKERS[which],
                markersize=4.5,
                label=f"{name}, {label}",
            )
    axis.set_xticks(
        list(SHARES.values()), [f"{percent(share)}\n{column}" for column, share in SHARES.items()]
    )
    axis.set_xlabel("images that train")
    axis.set_title(title)
    axis.legend(fontsize=7.5, ncols=2, handlelength=3.6, loc="upper center", bbox_to_anchor=(0.5, -0.24))


def single_runs_figure(tables: Sequence[tuple[str, Sequence[SingleRuns]]]) -> Figure:
    """Draw how often the worse classifier is ahead in one run, a panel for each table."""
    highest = max(max(one.same_split, one.other_split) for _, singles in tables for one in singles)

    def draw(axes: Sequence[Axes]) -> None:
        for axis, (title, singles) in zip(axes, tables, strict=True):
            places = np.arange(len(singles))
            for side, (what, shares) in enumerate(
                (
                    ("on the same split", [one.same_split for one in singles]),
                    ("on different splits", [one.other_split for one in singles]),
                )
            ):
                axis.bar(
                    places + 0.38 * (side - 0.5), shares, 0.36, color=COLOURS[side], hatch=("", "///")[side],
                    edgecolor="white", linewidth=0, label=what,
                )  # fmt: skip
            axis.set_xticks(places, ["\n".join(one.column.split()) for one in singles])
            axis.tick_params(axis="x", length=0)
            axis.set_ylim(0, max(1.12 * highest, 0.02))
            axis.set_title(f"{title}\n", pad=2)
            axis.text(
                0, 1.02, f"{singles[0].worse} ahead of {singles[0].better}, better on average",
                transform=axis.transAxes, **_SAID,
            )  # fmt: skip
        axes[0].set_ylabel("runs in which the worse is ahead")
        axes[0].legend(fontsize=8, loc="upper right")

    return _figure(len(tables), 3.1, 3.4, draw)


def mixing_figure(study: Mery2016) -> Figure:
    """Draw each person's accuracy with mixed folds and with nobody in both, a panel for each difficulty."""

    def draw(axes: Sequence[Axes]) -> None:
        for axis, (difficulty, run) in zip(axes, study.expressions.items(), strict=True):
            for which, name in enumerate(CLASSIFIERS):
                _slopes(axis, run, name, which)
            axis.set_xlim(-0.35, 3.35)
            axis.set_xticks([0, 1, 2, 3], ["10f CV\nmixed", "LOSO"] * 2)
            axis.tick_params(axis="x", length=0)
            axis.set_ylim(0, 1.04)
            axis.set_title(f"difficulty {given(difficulty)}")
        axes[0].set_ylabel("expressions recognised")
        axes[0].legend(fontsize=8, loc="lower left")

    return _figure(len(study.expressions), 2.9, 3.5, draw)


def _slopes(axis: Axes, run: ProtocolRun, name: str, which: int) -> None:
    mixed, alone = (found(run, name, column) for column in ("10f CV", "LOSO"))
    before, after = by_person(mixed), by_person(alone)
    places = [2 * which, 2 * which + 1]
    for person, value in before.items():
        axis.plot(places, [value, after[person]], color=COLOURS[which], linewidth=0.8, alpha=0.5)
    axis.plot(
        places, [mixed.spread.mean, alone.spread.mean], color=COLOURS[which], linewidth=2.4,
        marker=_MARKERS[which], markersize=6, label=f"{name}: mean, and each person",
    )  # fmt: skip


def _figure(
    panels: int, width: float, height: float, draw: Callable[[Sequence[Axes]], None], *, shared: bool = True
) -> Figure:
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(panels * width, height), layout="constrained")
        axes = list(np.atleast_1d(figure.subplots(1, panels, sharey=shared)))
        draw(axes)
        for axis in axes:
            axis.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
            axis.grid(visible=True, axis="y")
            axis.set_axisbelow(True)
        # Lay out once: the engine would otherwise move things a little at every save.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    return figure
