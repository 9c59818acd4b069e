"""Plots of two error rates against each other with matplotlib, with the zone of few errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.report.charts.error_curves import ErrorCurve, thinned
from proband.report.charts.few_errors_zone import zone_of
from proband.report.charts.mpl_names import name_directly, others
from proband.report.charts.palette import colour, dashes, is_grey
from proband.report.charts.scales import Floats
from proband.report.charts.spec import Axis, Chart, Errors
from proband.report.figures.style import GREY

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_HATCH, _FAINT = "#CFCFCF", "#8A8A8A"
_FEW_IN_A_BAND = 6
_ROOM = 0.05  # the share of a panel that words need across
_BEYOND = [(-1.0, -1.0), (1.0, 0.1), (0.1, 1.0), (-1.0, -1.0)]  # a marker that points to the lower left


def draw_errors(axis: Axes, chart: Chart, marks: Errors, names: Sequence[str]) -> list[Artist]:
    """Draw the zone, the diagonal and the curves with their points; return what a legend shows."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import offset_copy

    axes = chart.axes[0]
    _zone(axis, marks, axes)
    if marks.diagonal:
        axis.axline((0.1, 0.1), (0.4, 0.4), color="#BBBBBB", linewidth=1.0, zorder=1.3)
    handles: list[Artist] = []
    corner = 0
    grey: list[tuple[str, Floats, Floats]] = []
    for order, (curve, own, name) in enumerate(zip(marks.curves, marks.dots, names, strict=True)):
        place = chart.place(order)
        _curve(axis, marks, curve, axes, place)
        if is_grey(place):
            grey.append((curve.name, curve.fmr, marks.shown(curve.fnmr)))
            continue
        look: Any = {"marker": "", "markersize": 5, "markerfacecolor": colour(place), "color": colour(place)}
        if curve.flawless and not marks.complement:
            look |= {"marker": _BEYOND, "markersize": 8}
            where = offset_copy(axis.transAxes, axis.get_figure(root=True), 6 + 10 * corner, 6, "points")
            axis.plot([0], [0], transform=where, zorder=4, **look)
            corner += 1
        for x, y in own:
            inside = colour(place) if curve.reaches(x, y) else "white"
            look |= {"marker": "o", "markerfacecolor": inside}
            if axis.viewLim.contains(x, marks.shown(y)):
                axis.plot([x], [marks.shown(y)], zorder=4, clip_on=False, **look)
        handles.append(Line2D([], [], linestyle=dashes(place), linewidth=1.8, label=name, **look))
    name_directly(axis, axes, grey)
    return [*handles, *others(len(grey))]


def _zone(axis: Axes, marks: Errors, axes: tuple[Axis, Axis]) -> None:
    """Hatch where no curve has 30 errors, and dot the lines of a single error."""
    import matplotlib as mpl

    zone = zone_of(marks, axes, (_ROOM, _ROOM))
    x, edge, end = zone.right, zone.edge, zone.end
    far = 0.0 if marks.complement else 1.0
    x_at, y_at = (one.over().inverse for one in axes)
    corners = ((0.0, far), (x, far), (x, edge), (1.0, edge), (1.0, end), (0.0, end))
    with mpl.rc_context({"hatch.linewidth": 0.6}):
        axis.fill(
            [x_at(across) for across, _ in corners], [y_at(up) for _, up in corners],
            facecolor="#FAFAFA", edgecolor=_HATCH, hatch=r"\\\\", linewidth=0, zorder=0.8,
        )  # fmt: skip
    dotted: Any = {"color": _FAINT, "linewidth": 0.9, "linestyle": (0, (1, 2)), "zorder": 1.2}
    axis.axvline(zone.single[0], **dotted)
    axis.axhline(zone.single[1], **dotted)
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.85}
    for one in zone.words:
        axis.text(
            one.across, one.up, one.text, rotation=90 if one.turned else 0, transform=axis.transAxes,
            fontsize=7, color=GREY, zorder=1.4, ha="center", va="center", bbox=ground,
        )  # fmt: skip


def _curve(axis: Axes, marks: Errors, curve: ErrorCurve, axes: tuple[Axis, Axis], place: int) -> None:
    """Draw one curve, thin where it has fewer than 30 errors, and its intervals; the curve ends at a single error."""
    grey = is_grey(place)
    look: Any = {"color": colour(place), "zorder": 2 if grey else 3, "solid_joinstyle": "miter"}
    across, up = (one.over() for one in axes)

    def draw(x: Floats, y: Floats, **more: Any) -> None:
        y = marks.shown(y)
        shown = thinned(across(x), up(y))
        axis.plot(x[shown], y[shown], **look, **more)

    (x, y), rest = curve.pieces(zero=marks.complement)
    for piece in rest:
        draw(*piece, linewidth=0.5 if grey else 0.9, alpha=0.8)
    if len(x):
        draw(x, y, linewidth=0.9 if grey else 1.8, linestyle=dashes(place))
    if not grey and (limits := curve.limits()):
        at, low, high = (np.array(column) for column in list(zip(*limits, strict=True))[:3])
        low, high = (marks.shown(np.maximum(end, 1e-12)) for end in (low, high))
        _limits(axis, at, low, high, place)


def _limits(axis: Axes, x: Floats, low: Floats, high: Floats, place: int) -> None:
    """Shade a band; limits at a few rates are whiskers, side by side with those of other curves."""
    from matplotlib.transforms import offset_copy

    tint = colour(place)
    if len(x) > _FEW_IN_A_BAND:
        axis.fill_between(x, low, high, color=tint, alpha=0.14, linewidth=0, zorder=2)
        return
    aside = 3 * ((place + 1) // 2) * (1 if place % 2 else -1)
    where = offset_copy(axis.transData, axis.get_figure(root=True), x=aside, units="points")
    axis.vlines(x, low, high, color=tint, linewidth=1.2, zorder=3, transform=where)
    for end in (low, high):
        axis.plot(x, end, linestyle="none", marker="_", markersize=5, color=tint, transform=where)
