"""Figures of accuracies under protocols: every run, the mean, and the interval to quote."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from proband import words
from proband.analyses.protocol.charts import sizes
from proband.protocols.running.factors import SizeEffect
from proband.protocols.running.results import ProtocolResult, ProtocolRun, Recommended
from proband.report.charts.mpl import figure
from proband.report.charts.palette import colour, marker
from proband.report.figures.style import head, laid_out
from proband.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_DOTS = 400
_WIDTH = 0.7  # of a protocol's place, shared by the classifiers
_OF: dict[Recommended, str] = {
    "method": "training and test sets vary",
    "fitted-models": "people vary (open: pooled estimate)",
}


def accuracy_figure(run: ProtocolRun) -> Figure:
    """Draw accuracy by protocol: dots are runs, the marker their mean, the bar the interval to quote, an open marker the pooled estimate."""
    from matplotlib.ticker import PercentFormatter

    names = run.classifiers
    wide = max(5.0, 1.2 + len(run.findings) * (0.55 + 0.28 * len(names)))
    with laid_out((wide, 3.9)) as drawn:
        axis = drawn.subplots()
        for place, found in enumerate(run.findings):
            for one in found.results:
                _draw(axis, one, place, names)
        axis.set_xlim(-0.5, len(run.findings) - 0.5)
        axis.set_xticks(range(len(run.findings)))
        axis.set_xticklabels(["\n".join(str(found.protocol).split()) for found in run.findings])
        axis.tick_params(axis="x", length=0)
        axis.set_ylabel("accuracy")
        axis.yaxis.set_major_formatter(PercentFormatter(xmax=1))
        axis.grid(visible=True, axis="y")
        axis.set_axisbelow(True)
        handles, labels = axis.get_legend_handles_labels()
        kept = dict(zip(labels, handles, strict=True))
        drawn.legend(kept.values(), kept.keys(), loc="outside lower center", ncols=min(len(kept), 5))
        data = run.setting.data
        size = f"{counted(len(data), 'sample')} of {counted(len(data.samples.subjects), 'subject')}"
        quoted = {one.recommended for one in run.results}
        bars = " or ".join(of for which, of in _OF.items() if which in quoted)
        note = f"{size}; dots: runs; filled: their mean; bars: {words.level(run.setting.confidence_level)}, {bars}"
        head(axis, f"{data.name}: {run.setting.label or 'identity'}", fill(note, int(13 * wide)))
    return drawn


def sizes_figure(effects: Sequence[SizeEffect]) -> Figure:
    """Draw accuracy by number of subjects or of images per subject."""
    charts = sizes(effects)
    height = 3.4 * len(charts) + 1.2 + 0.18 * len(charts[0].names)
    return figure(charts, (6.4, height), columns=1, shared=False)


def _draw(axis: Axes, one: ProtocolResult, place: int, names: list[str]) -> None:
    which = names.index(one.classifier)
    step = _WIDTH / len(names)
    middle = place - _WIDTH / 2 + step * (which + 0.5)
    tint = colour(which)
    runs = _runs(one)
    if len(runs) > 1:
        aside = middle - 0.22 * step + 0.18 * step * _spread_out(runs)
        axis.plot(aside, runs, linestyle="", marker=".", markersize=3, color=tint, alpha=0.45)
    drawn: dict[str, Any] = {"marker": marker(which), "linestyle": "", "color": tint}
    interval, foot = one.interval, middle + 0.12 * step
    axis.plot([foot], [one.accuracy], markersize=5.5, label=one.classifier, **drawn)
    if not interval.has_interval:
        return
    if one.recommended != "method":
        foot = middle + 0.34 * step
        axis.plot([foot], [interval.value], markersize=4.5, markerfacecolor="none", **drawn)
    axis.vlines(foot, interval.low, interval.high, color=tint, linewidth=1.6)


def _runs(one: ProtocolResult) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The values that the spread is over, thinned out where they are too many to see."""
    table = one.predictions.accuracies
    runs = table.mean(axis=1) if len(table) == one.spread.n_runs else table.ravel()
    return np.asarray(runs[:: -(-len(runs) // _MOST_DOTS)])


def _spread_out(
    runs: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Offsets from −1 to 1 that separate equal values."""
    _, which, counts = np.unique(runs, return_inverse=True, return_counts=True)
    order = np.argsort(which, kind="stable")
    turn = np.empty(len(runs))
    turn[order] = np.arange(len(runs)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray((2 * turn - counts[which] + 1) / max(int(counts.max()) - 1, 1))
