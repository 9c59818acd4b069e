"""Figures of verification and of searches: what is drawn stops where the data do."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from proband.errors import UsageError
from proband.measures.verification import SUPPORTED
from proband.report.figures.verification_axes import (
    aligned,
    colour,
    dashes,
    deviate,
    draw_curve,
    in_powers,
    laid_out,
    number_range,
    rate_axis,
    rate_label,
    round_up,
    say_above,
    unsupported_zone,
)
from proband.report.figures.verification_curves import ErrorCurve
from proband.report.figures.verification_groups import GroupErrors, groups_figure
from proband.report.figures.verification_panels import (
    ScoreCounts,
    gallery_size_figure,
    score_histograms_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = [
    "ErrorCurve",
    "GroupErrors",
    "ScoreCounts",
    "det_figure",
    "gallery_size_figure",
    "groups_figure",
    "roc_figure",
    "score_histograms_figure",
    "search_figure",
]

_NOTE = f"thin lines and hollow dots: fewer than {SUPPORTED} errors; dotted: a single error"
_BEYOND = [(-1.0, -1.0), (1.0, 0.1), (0.1, 1.0), (-1.0, -1.0)]  # a marker that points to the lower left


def det_figure(curves: Sequence[ErrorCurve], title: str | None = None) -> Figure:
    """Draw detection error trade-offs on axes of normal deviates, with the equal error rates.

    Curves are exact steps, thin where fewer than 30 errors are behind them (the rule of 30), and end at a single error. An
    equal error rate with fewer than 30 errors of either kind is a hollow dot, and an algorithm without errors a triangle in
    the corner that its curve is beyond.

    Parameters
    ----------
    curves
        A curve for each algorithm.
    title
        A heading for the whole figure.
    """
    (left, right), (bottom, top) = det_limits(_some(curves))
    width = _width(curves)
    shape = float((deviate(top) - deviate(bottom)) / (deviate(right) - deviate(left)))
    size = width, 1.1 + 0.18 * len(curves) + (width - 1) * min(max(shape, 0.55), 0.8)
    with laid_out(size, title) as figure:
        axis = figure.subplots()
        rate_axis(axis, "x", "probit", left, right)
        rate_axis(axis, "y", "probit", bottom, top)
        axis.axline((0.1, 0.1), (0.4, 0.4), color="#BBBBBB", linewidth=1.0, zorder=1.3)
        _draw_verification(axis, curves)
        axis.set_ylabel("false non-match rate (FNMR)")
        rates = [curve.crossing for curve in curves]
        handles = _mark(axis, curves, [(rate, rate) for rate in rates])
        _legend(figure, handles, curves, rates, "equal error rate (EER)")
    return figure


def roc_figure(curves: Sequence[ErrorCurve], title: str | None = None) -> Figure:
    """Draw receiver operating characteristics: the true accept rate against a logarithmic axis of FMR.

    The legend gives the true accept rate at the lowest power of ten that 30 false matches of every curve support.

    Parameters
    ----------
    curves
        A curve for each algorithm.
    title
        A heading for the whole figure.
    """
    reach = _reach(_some(curves))
    with laid_out((_width(curves), 4.4 + 0.18 * len(curves)), title) as figure:
        axis = figure.subplots()
        rate_axis(axis, "x", "log", 1 / max(one.n_impostor for one in curves), 1)
        axis.set_ylim(1 - reach, 1 + 0.012 * reach)
        axis.yaxis.set_major_formatter(lambda rate, _: rate_label(rate) if rate < 1 + 1e-9 else "")
        _draw_verification(axis, curves, upside_down=True)
        axis.set_ylabel("true accept rate (1 − FNMR)")
        _mark_common(figure, axis, curves, "true accept rate at FMR", upside_down=True)
    return figure


def search_figure(curves: Sequence[ErrorCurve], title: str | None = None) -> Figure:
    """Draw FNIR against FPIR on logarithmic axes, for searches of people who may not be enrolled.

    The legend gives FNIR at the lowest power of ten that 30 false positives of every curve support.

    Parameters
    ----------
    curves
        A curve of FPIR and FNIR for each algorithm or number of candidates.
    title
        A heading for the whole figure.
    """
    lowest = min(max(float(curve.fnmr[-1]) / 2, 1 / curve.n_genuine) for curve in _some(curves))
    with laid_out((_width(curves), 4.6 + 0.18 * len(curves)), title) as figure:
        axis = figure.subplots()
        rate_axis(axis, "x", "log", 1 / max(one.n_impostor for one in curves), 1)
        rate_axis(axis, "y", "log", min(lowest, 0.5), 1)
        _draw(axis, curves, ("false positives", "misses"))
        axis.set_xlabel("false positive identification rate (FPIR)")
        axis.set_ylabel("false negative identification rate (FNIR)")
        mated = number_range([one.n_genuine for one in curves])
        say_above(
            axis,
            f"{mated} mated and {number_range([one.n_impostor for one in curves])} non-mated searches\n{_NOTE}",
        )
        _mark_common(figure, axis, curves, "FNIR at FPIR")
    return figure


def _some(curves: Sequence[ErrorCurve]) -> Sequence[ErrorCurve]:
    if not curves:
        raise UsageError("There are no curves to draw.")
    return curves


def _draw_verification(axis: Axes, curves: Sequence[ErrorCurve], *, upside_down: bool = False) -> None:
    """Draw what a DET and a ROC have in common."""
    _draw(axis, curves, ("false matches", "false non-matches"), upside_down=upside_down)
    axis.set_xlabel("false match rate (FMR)")
    genuine = number_range([one.n_genuine for one in curves])
    impostor = number_range([one.n_impostor for one in curves])
    say_above(axis, f"{genuine} genuine and {impostor} impostor comparisons\n{_NOTE}")


def _draw(
    axis: Axes, curves: Sequence[ErrorCurve], words: tuple[str, str], *, upside_down: bool = False
) -> None:
    """Draw the curves over the zone that the data do not support."""
    axis.grid(visible=True, which="major")
    axis.set_axisbelow(True)
    axis.set_autoscale_on(False)
    unsupported_zone(axis, curves, words, upside_down=upside_down)
    for style, curve in enumerate(curves):
        draw_curve(axis, curve, style, upside_down=upside_down)


def _mark(
    axis: Axes,
    curves: Sequence[ErrorCurve],
    points: Sequence[tuple[float, float]],
    *,
    upside_down: bool = False,
) -> list[Line2D]:
    """Put a dot on every curve, hollow if it is not supported, and give the lines of a legend.

    A curve without errors has a triangle in the corner, unless rates are upside down: that axis has a place for it.
    """
    from matplotlib.lines import Line2D
    from matplotlib.transforms import offset_copy

    handles, corner = [], 0
    for style, (curve, (fmr, fnmr)) in enumerate(zip(curves, points, strict=True)):
        inside = colour(style) if curve.reaches(fmr, fnmr) else "white"
        look: Any = {"marker": "o", "markersize": 5, "markerfacecolor": inside, "color": colour(style)}
        if curve.flawless and not upside_down:
            look |= {"marker": _BEYOND, "markersize": 8, "markerfacecolor": colour(style)}
            where = offset_copy(axis.transAxes, axis.get_figure(root=True), 6 + 10 * corner, 6, "points")
            axis.plot([0], [0], transform=where, zorder=4, **look)
            corner += 1
        elif fmr == 0:
            look["marker"] = ""
        elif axis.viewLim.contains(fmr, y := 1 - fnmr if upside_down else fnmr):
            axis.plot([fmr], [y], zorder=4, clip_on=False, **look)
        handles.append(Line2D([], [], linestyle=dashes(style), linewidth=1.8, **look))
    return handles


def _mark_common(
    figure: Figure, axis: Axes, curves: Sequence[ErrorCurve], heading: str, *, upside_down: bool = False
) -> None:
    """Mark the curves at the lowest power of ten that all support, if there is one, and list them with their rates."""
    needed = max(curve.supported_fmr for curve in curves)
    at = next((10.0**k for k in range(-12, 0) if 10.0**k >= needed * (1 - 1e-9)), 0.0)
    rates = [curve.fnmr_at(at) for curve in curves]
    handles = _mark(axis, curves, [(at, rate) for rate in rates], upside_down=upside_down)
    if not at:
        _legend(figure, handles, curves)
        return
    shown = [1 - rate for rate in rates] if upside_down else rates
    _legend(
        figure, handles, curves, shown, f"{heading} {rate_label(at, powers=in_powers(axis.get_xlim()[0]))}"
    )


def _legend(
    figure: Figure,
    handles: Sequence[Line2D],
    curves: Sequence[ErrorCurve],
    rates: Sequence[float] | None = None,
    heading: str | None = None,
) -> None:
    """Put a legend below the panel, where no curve can run into it."""
    width = figure.get_figwidth()
    names = [
        fill(curve.name + (": no errors" if curve.flawless else ""), int(11.5 * (width - 1.5)))
        for curve in curves
    ]
    labels = (
        names
        if rates is None
        else [f"{rate}  {name}" for rate, name in zip(aligned(rates), names, strict=True)]
    )
    longest = max(len(line) for label in labels for line in label.splitlines())
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        title=heading,
        alignment="left",
        ncols=1 if len(labels) < 4 or longest > 6 * width else 2,
        handlelength=3.0,
    )


def det_limits(curves: Sequence[ErrorCurve]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the axes of a DET begin and end: all that curves show, but not far beyond one half."""
    most = round_up(max(0.6, *(min(1.2 * curve.crossing, 0.99) for curve in curves)))
    right = round_up(max(0.4, *(min(curve.fmr_at(0.5 / curve.n_genuine), most) for curve in curves)))
    top = round_up(max(0.4, *(min(curve.fnmr_at(1 / curve.n_impostor), max(most, 0.95)) for curve in curves)))
    left = min(max(1 / curve.n_impostor, curve.fmr_at(top) / 2) for curve in curves)
    bottom = min(max(1 / curve.n_genuine, curve.fnmr_at(right) / 2) for curve in curves)
    return (min(left, 0.05), right), (min(bottom, 0.05), top)


def _reach(curves: Sequence[ErrorCurve]) -> float:
    """How far below 1 true accept rates go: those that are supported or, where none are, all."""
    starts = [curve.supported_fmr if curve.supported_fmr < 0.1 else 1 / curve.n_impostor for curve in curves]
    worst = max(curve.fnmr_at(start) for curve, start in zip(curves, starts, strict=True))
    return next((one for one in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7) if one > 1.15 * worst), 1.0)


def _width(curves: Sequence[ErrorCurve]) -> float:
    """How many inches a figure needs for its legend, within reason."""
    return min(max(6.4, 1.8 + 0.075 * max(len(curve.name) for curve in curves)), 9.0)
