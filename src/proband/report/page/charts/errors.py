"""Charts of two kinds of errors against each other: verification and open-set searches, as far as the data go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from proband.errors import UsageError
from proband.inference.verification.open_set import SearchEstimates, SearchInterval
from proband.inference.verification.verification import Verification
from proband.measures.open_set import Searches
from proband.measures.verification import SUPPORTED
from proband.report.analyses.verification import error_curve
from proband.report.cells import (
    columns,
    interval_cell,
    percent,
    rate,
    rate_cell,
    small,
    small_cell,
    table,
    text_cell,
)
from proband.report.figures.verification import det_limits
from proband.report.figures.verification_axes import number_range, round_up
from proband.report.figures.verification_curves import ErrorCurve, Floats
from proband.report.page.charts.axes import Domain, Frame, dot, interval_bar
from proband.report.page.charts.scales import Kind, log_ticks
from proband.report.page.charts.svg import element, listed, number, path, points_of, series
from proband.report.page.charts.thinning import visible
from proband.report.page.model import Chart
from proband.report.table import Table
from proband.words import counted

Result = TypeVar("Result")
Limits = tuple[tuple[float, float], tuple[float, float]]
_READ = 60  # rates at which curves can be read, at most
_HOW = (
    f"Hatched: fewer than {SUPPORTED} errors. Thin lines and hollow dots rest on fewer than {SUPPORTED} errors of a kind, and curves "
    "end at a single error (dotted)."
)


@dataclass(frozen=True)
class _Kind:
    """What the two rates are, what their errors are called, and what was compared."""

    x: str
    y: str
    x_errors: str
    y_errors: str
    positive: str
    negative: str


_VERIFICATION = _Kind(
    "false match rate (FMR)",
    "false non-match rate (FNMR)",
    "false matches",
    "false non-matches",
    "genuine comparisons",
    "impostor comparisons",
)
_SEARCH = _Kind(
    "false positive identification rate (FPIR)",
    "false negative identification rate (FNIR)",
    "false positives",
    "misses",
    "mated searches",
    "non-mated searches",
)


def det_chart(
    results: Sequence[Verification], id: str = "det", title: str = "Detection error trade-off"
) -> Chart:
    """Draw FNMR against FMR on axes of normal deviates and on logarithmic ones, with the equal error rates.

    Curves are exact steps to what can be seen, and intervals stand at the operating points that were asked for.
    """
    curves = [error_curve(one) for one in _some(results)]
    across, (bottom, top) = det_limits(curves)
    highest = max((float(curve.high.max()) for curve in curves if curve.high is not None), default=0.0)
    limits = across, (bottom, max(top, round_up(highest)))
    marks = [[] if curve.flawless else [(curve.crossing, curve.crossing)] for curve in curves]
    parts = [
        f"{curve.name} {'without any error' if curve.flawless else rate(curve.crossing)}"
        for curve in sorted(curves, key=lambda curve: curve.crossing)
    ]
    said = f"{_about(curves, _VERIFICATION)} Equal error rate: {listed(parts)}."
    drawings = _drawings(id, title, said, curves, marks, _VERIFICATION, ("probit", "log"), limits)
    level = results[0].confidence_level
    beside = ", side by side around the FMR where there are several" if len(curves) > 1 else ""
    notes = (
        _HOW,
        f"Dots: equal error rates. Bars: {percent(level)} intervals of FNMR at the FMRs asked for{beside}.",
    )
    return Chart(
        id,
        title,
        said,
        drawings,
        tuple(curve.name for curve in curves),
        _points_table(id, results),
        notes,
        results[0].answers,
    )


def search_chart(
    results: Sequence[SearchEstimates],
    id: str = "search",
    title: str = "Open-set identification",
    *,
    rank: int = 1,
) -> Chart:
    """Draw FNIR against FPIR of searches that return up to `rank` candidates, on logarithmic axes and on normal deviates."""
    curves = [search_curve(one.searches, rank) for one in _some(results)]
    kept = [[point for point in one.points if point.point.rank == rank] for one in results]
    curves = [_with_points(curve, points) for curve, points in zip(curves, kept, strict=True)]
    marks = [[(one.point.fpir, one.point.fnir) for one in points] for points in kept]
    said = (
        f"{_about(curves, _SEARCH)} {counted(results[0].searches.n_enrolled, 'person', 'people')} enrolled; up to {counted(rank, 'candidate')} "
        "returned."
    )
    told = [(found[0].point, curve.name) for found, curve in zip(kept, curves, strict=True) if found]
    if told:
        parts = [
            f"{name} {rate(point.fnir)} at an FPIR of {small(point.fpir)}"
            for point, name in sorted(told, key=lambda pair: pair[0].fnir)
        ]
        said += f" FNIR: {listed(parts)}."
    lowest = min(max(float(curve.fnmr[-1]) / 2, 1 / curve.n_genuine) for curve in curves)
    limits = (1 / max(one.n_impostor for one in curves), 1.0), (min(lowest, 0.5), 1.0)
    drawings = _drawings(id, title, said, curves, marks, _SEARCH, ("log", "probit"), limits)
    first = results[0]
    rows = [
        (
            text_cell(one.algorithm),
            small_cell(point.point.fpir, point.fpir_supported),
            rate_cell(point.point.fnir),
            interval_cell(point.fnir, one.answers),
        )
        for one, points in zip(results, kept, strict=True)
        for point in points
    ]
    heads = columns("algorithm", "FPIR", "FNIR", "interval of FNIR")
    data = table(f"{id}-data", f"{title}: operating points", heads, rows, _starred())
    notes = (
        _HOW,
        f"Dots and bars: operating points with {percent(first.confidence_level)} intervals of FNIR.",
    )
    return Chart(id, title, said, drawings, tuple(c.name for c in curves), data, notes, first.answers)


def search_curve(searches: Searches, rank: int = 1) -> ErrorCurve:
    """The errors of searches as a curve: FPIR in the place of FMR, FNIR in that of FNMR."""
    frame = searches.curve(rank).sort("threshold", descending=searches.larger_is_closer)
    fpir, fnir = (frame[name].to_numpy() for name in ("fpir", "fnir"))
    return ErrorCurve(searches.algorithm, fpir, fnir, len(searches.best), len(searches.mate))


def _with_points(curve: ErrorCurve, points: Sequence[SearchInterval]) -> ErrorCurve:
    """The same curve with the intervals at its operating points."""
    ends = np.array([(one.point.fpir, *one.fnir) for one in points])
    return replace(curve, band_fmr=ends[:, 0], low=ends[:, 1], high=ends[:, 2]) if len(ends) else curve


def _some(results: Sequence[Result]) -> Sequence[Result]:
    if not results:
        raise UsageError("There are no curves to draw.")
    return results


def _about(curves: Sequence[ErrorCurve], kind: _Kind) -> str:
    positive = number_range([one.n_genuine for one in curves])
    negative = number_range([one.n_impostor for one in curves])
    return f"{positive} {kind.positive} and {negative} {kind.negative}."


def _drawings(
    id: str,
    title: str,
    said: str,
    curves: Sequence[ErrorCurve],
    marks: Sequence[Sequence[tuple[float, float]]],
    kind: _Kind,
    scales: Sequence[Kind],
    limits: Limits,
) -> dict[str, str]:
    return {
        scale: _drawing(f"{id}-{scale}", title, said, curves, marks, kind, scale, limits) for scale in scales
    }


def _drawing(
    id: str,
    title: str,
    said: str,
    curves: Sequence[ErrorCurve],
    marks: Sequence[Sequence[tuple[float, float]]],
    kind: _Kind,
    scale: Kind,
    limits: Limits,
) -> str:
    frame = Frame.of(_domain(scale, *limits[0]), _domain(scale, *limits[1]), kind.x, kind.y)
    parts = [*frame.axes(), *frame.unsupported(id, curves, (kind.x_errors, kind.y_errors))]
    if kind is _VERIFICATION:
        parts.append(_diagonal(frame))
    corner = 0
    apart = 4.0 if kind is _VERIFICATION else 0.0  # intervals at the same FMR stand side by side
    for place, (curve, own) in enumerate(zip(curves, marks, strict=True)):
        inside = _curve(frame, curve, apart * (place - (len(curves) - 1) / 2))
        if curve.flawless:
            inside.append(_beyond(frame, corner))
            corner += 1
        inside += [
            dot(frame.x.at(x), frame.y.at(y), hollow=not curve.reaches(x, y))
            for x, y in own
            if frame.x.holds(x) and frame.y.holds(y)
        ]
        parts.append(series(place, curve.name, *inside, points=_read(frame, curve), shape="step"))
    return frame.drawing(id, title, said, parts)


def _domain(scale: Kind, low: float, high: float) -> Domain:
    """A little below the lowest rate, up to the highest, which normal deviates never reach."""
    if scale == "log":
        return "log", 0.7 * low, high, "rate"
    from scipy.special import ndtr

    from proband.report.figures.verification_axes import deviate

    return "probit", float(ndtr(deviate(low) - 0.1)), min(high, 0.99), "rate"


def _diagonal(frame: Frame) -> str:
    """Where both rates are equal."""
    low, high = max(frame.x.low, frame.y.low), min(frame.x.high, frame.y.high)
    rates = np.geomspace(low, high, 60)
    x, y = frame.x(rates), frame.y(rates)
    kept = visible(x, y)
    return element("path", class_="reference diagonal", d=path(x[kept], y[kept]), fill="none")


def _curve(frame: Frame, curve: ErrorCurve, aside: float) -> list[str]:
    """One curve: the piece with 30 errors, the rest thin, and intervals at its operating points."""
    (x, y), rest = curve.pieces()
    inside = [_piece(frame, *piece, "line thin") for piece in rest]
    if len(x):
        inside.append(_piece(frame, x, y, "line"))
    if curve.band_fmr is not None and curve.low is not None and curve.high is not None:
        for at, low, high in zip(curve.band_fmr, curve.low, curve.high, strict=True):
            if at >= (1 - 1e-9) / curve.n_impostor and frame.x.holds(at):
                x_at = min(max(frame.x.at(at) + aside, frame.left), frame.right)
                inside.append(interval_bar(x_at, frame.y.at(low), x_at, frame.y.at(high), 2.5))
    return inside


def _piece(frame: Frame, x: Floats, y: Floats, look: str) -> str:
    """One piece, as far as the frame goes: the steps across its edges are cut there."""
    within = (x >= frame.x.low) & (x <= frame.x.high) & (y >= frame.y.low) & (y <= frame.y.high)
    if not within.any():
        return ""
    shown = np.flatnonzero(within)
    part = slice(max(int(shown[0]) - 1, 0), int(shown[-1]) + 2)
    across, up = frame.x(x[part]), frame.y(y[part])
    kept = visible(across, up)
    return element("path", class_=look, d=path(across[kept], up[kept]), fill="none")


def _read(frame: Frame, curve: ErrorCurve) -> str | None:
    """The curve at round rates, the same for all curves, so that they can be read together; None if it has no such point."""
    rates = log_ticks(max(frame.x.low, 1e-12), frame.x.high, _READ)
    found = np.array([(at, curve.fnmr_at(at)) for at in rates if at >= (1 - 1e-9) / curve.n_impostor])
    found = (
        found[[curve.n_genuine * y >= 1 - 1e-9 and frame.y.holds(y) for _, y in found]]
        if len(found)
        else found
    )
    return points_of(*found.T) if len(found) else None


def _beyond(frame: Frame, corner: int) -> str:
    """A triangle in the corner that a curve without errors is beyond."""
    x, y = frame.left + 4 + 12 * corner, frame.bottom - 4
    points = f"{number(x)},{number(y)} {number(x + 9)},{number(y - 3)} {number(x + 3)},{number(y - 9)}"
    return element("polygon", class_="dot beyond", points=points)


def _points_table(id: str, results: Sequence[Verification]) -> Table:
    """The operating points: FMR, FNMR and its interval at that FMR, or at the threshold."""
    rows = []
    for one in results:
        for found in one.points:
            point = found.point
            ends = found.fnmr_at_fmr or (found.fnmr.low, found.fnmr.high)
            rows.append(
                (
                    text_cell(one.algorithm),
                    small_cell(point.fmr, point.fmr_supported),
                    small_cell(point.fnmr, point.fnmr_supported),
                    interval_cell(ends, one.answers),
                )
            )
    heads = columns("algorithm", "FMR", "FNMR", "interval of FNMR")
    return table(f"{id}-data", "Operating points of the curves", heads, rows, _starred())


def _starred() -> tuple[str, ...]:
    return (f"* rests on fewer than {SUPPORTED} errors.",)
