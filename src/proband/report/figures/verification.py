"""Printed figures of verification and of searches: what is drawn stops where the data do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from proband.engine.limits import Title
from proband.errors import UsageError
from proband.inference.verification.groups import Differential
from proband.measures.verification import SUPPORTED
from proband.report.charts.error_curves import ErrorCurve
from proband.report.charts.makers.errors import det, roc
from proband.report.charts.makers.histograms import ScoreCounts, scores
from proband.report.charts.makers.rows import groups
from proband.report.charts.mpl import figure, printed
from proband.report.charts.palette import places_of
from proband.report.charts.spec import Chart, in_places, some
from proband.words import part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def det_figure(
    curves: Sequence[ErrorCurve], title: Title | None = None, places: Mapping[str, int] | None = None
) -> Figure:
    """Draw detection error trade-offs on axes of normal deviates, with the equal error rates."""
    return printed([_in_looks(det(curves), curves, places)], title)


def roc_figure(
    curves: Sequence[ErrorCurve], title: Title | None = None, places: Mapping[str, int] | None = None
) -> Figure:
    """Draw receiver operating characteristics: the true accept rate against a logarithmic axis of FMR."""
    return printed([_in_looks(roc(curves), curves, places)], title)


def _in_looks(chart: Chart, curves: Sequence[ErrorCurve], places: Mapping[str, int] | None) -> Chart:
    """The same chart in the looks given; else, of many curves, those with the lowest equal error rates have the colours."""
    order = [one.name for one in sorted(curves, key=lambda one: one.crossing)]
    return in_places(chart, places or places_of([one.name for one in curves], order))


def score_histograms_figure(panels: Sequence[ScoreCounts], title: Title | None = None) -> Figure:
    """Draw the densities of genuine and of impostor scores, a panel for each algorithm.

    Each kind has the area 1, however many scores there are of it.
    """
    charts = [scores(one, title=one.name) for one in some(panels, "scores")]
    return printed(charts, title, columns=2 if len(panels) in (2, 4) else 3)


def differential_figure(
    differential: Differential, n_algorithms: int = 1, title: Title | None = None
) -> Figure:
    """Draw FNMR and FMR of groups of people at one threshold, with their intervals, the highest FMR first.

    Groups without either rate are named below; where an algorithm is one of several, that is said too.
    """
    both = [one for one in differential.groups if one.fmr is not None and one.fnmr is not None]
    if not both:
        raise UsageError("No group has both error rates, so there is nothing to draw.")
    ordered = sorted(both, key=lambda one: -one.fmr.rate if one.fmr is not None else 0.0)
    left = [one.group for one in differential.groups if one not in both]
    parts = (
        f"{differential.algorithm}, by {differential.column}, one threshold for all",
        part_of(1, n_algorithms, "algorithms", "the first with both error rates"),
        f"not drawn, for want of either error rate: {', '.join(left)}" if left else "",
        f"hollow: fewer than {SUPPORTED} errors, arrows: none; dashed: all groups; sorted by FMR",
    )
    drawn = [replace(differential, groups=tuple(ordered))]
    charts = [groups(drawn, "fnmr", counts=True), groups(drawn, "fmr", counts=True)]
    longest = max(min(len(one.group), 32) for one in both)
    size = 7.6 + 0.07 * longest, 1.6 + 0.26 * len(both)
    said = "; ".join(filter(None, parts))
    return figure(charts, size, title=title, columns=2, headed=False, said=said)
