"""Two error rates against each other as SVG, with the zone of few errors."""

from __future__ import annotations

import numpy as np

from proband.report.charts.error_curves import ErrorCurve
from proband.report.charts.few_errors_zone import zone_of
from proband.report.charts.palette import is_grey
from proband.report.charts.scales import Floats, log_ticks
from proband.report.charts.spec import Axis, Chart, Errors
from proband.report.charts.svg.axes import Frame, direct_names, dot, interval_bar
from proband.report.charts.svg.elements import element, line, number, path, points_of, series, words
from proband.report.charts.svg.thinning import visible

_READ = 60  # rates at which curves can be read, at most
_STRIP = 18.0  # as wide as words need


def draw_errors(frame: Frame, chart: Chart, marks: Errors, axes: tuple[Axis, Axis]) -> list[str]:
    """Draw the zone, the diagonal and the curves with their points, those in grey below those in colour."""
    parts = _zone(frame, frame.id_of(chart), marks, axes)
    if marks.diagonal:
        parts.append(_diagonal(frame))
    corner = 0
    apart = 4.0 if marks.apart else 0.0
    coloured = [n for n in range(len(marks.curves)) if not is_grey(chart.place(n))]
    grey = [n for n in range(len(marks.curves)) if n not in coloured]
    for order in (*grey, *coloured):
        curve, own = marks.curves[order], marks.dots[order]
        aside = apart * (order - (len(coloured) - 1) / 2)
        inside = _curve(frame, marks, curve, None if order in grey else aside)
        if curve.flawless:
            inside.append(_beyond(frame, corner))
            corner += 1
        inside += [
            dot(frame.x.at(x), frame.y.at(marks.shown(y)), hollow=not curve.reaches(x, y))
            for x, y in own
            if order in coloured and frame.x.holds(x) and frame.y.holds(marks.shown(y))
        ]
        points = _read(frame, marks, curve)
        parts.append(series(order, chart.place(order), curve.name, *inside, points=points, shape="step"))
    return [*parts, *direct_names(frame, [_whole(frame, marks, marks.curves[order]) for order in grey])]


def _whole(frame: Frame, marks: Errors, curve: ErrorCurve) -> tuple[str, Floats, Floats]:
    """A curve by its name, and where all of it is that the frame holds."""
    (x, y), rest = curve.pieces(zero=marks.complement)
    x, y = (np.concatenate([own, *(piece[part] for piece in rest)]) for part, own in enumerate((x, y)))
    y = marks.shown(y)
    kept = (x >= frame.x.low) & (x <= frame.x.high) & (y >= frame.y.low) & (y <= frame.y.high)
    return curve.name, frame.x(x[kept]), frame.y(y[kept])


def _zone(frame: Frame, id: str, marks: Errors, axes: tuple[Axis, Axis]) -> list[str]:
    """Hatch where no curve has 30 errors along x or along y, and mark where there is a single one."""
    left, right, top, bottom = frame.left, frame.right, frame.top, frame.bottom
    wide, high = right - left, bottom - top
    zone = zone_of(marks, axes, (_STRIP / wide, _STRIP / high))
    x, y = left + wide * zone.right, bottom - high * zone.edge
    if not zone.right and not zone.edge:
        return []
    corners = ((left, top), (x, top), (x, y), (right, y), (right, bottom), (left, bottom))
    around = " ".join(f"{number(a)},{number(b)}" for a, b in corners)
    stroke = element("path", class_="hatching", d="M0 0v8", stroke="currentColor", stroke_opacity="0.25")
    made: list[str] = [
        element(
            "pattern", stroke, id=f"{id}-hatch", width=8, height=8,
            patternUnits="userSpaceOnUse", patternTransform="rotate(-45)",
        ),
        element("polygon", class_="unsupported", points=around, fill_opacity="0.06"),
        element("polygon", class_="hatch", points=around, fill=f"url(#{id}-hatch)"),
    ]  # fmt: skip
    single_x, single_y = zone.single
    if frame.x.holds(single_x):
        made.append(line(frame.x.at(single_x), top, frame.x.at(single_x), bottom, "reference"))
    if frame.y.holds(single_y):
        made.append(line(left, frame.y.at(single_y), right, frame.y.at(single_y), "reference"))
    for one in zone.words:
        across, up = left + wide * one.across, bottom - high * one.up
        place = (across + 5, up) if one.turned else (across, up + 5)
        made.append(words(*place, one.text, "note", "middle", one.turned))
    return made


def _diagonal(frame: Frame) -> str:
    """Where both rates are equal."""
    low, high = max(frame.x.low, frame.y.low), min(frame.x.high, frame.y.high)
    rates = np.geomspace(low, high, 60)
    x, y = frame.x(rates), frame.y(rates)
    kept = visible(x, y)
    return element("path", class_="reference diagonal", d=path(x[kept], y[kept]), fill="none")


def _curve(frame: Frame, marks: Errors, curve: ErrorCurve, aside: float | None) -> list[str]:
    """One curve: the piece with 30 errors, the rest thin, and intervals beside its operating points, if it is to have any."""
    (x, y), rest = curve.pieces(zero=marks.complement)
    inside = [_piece(frame, across, marks.shown(up), "line thin") for across, up in rest]
    if len(x):
        inside.append(_piece(frame, x, marks.shown(y), "line"))
    for at, low, high, _ in curve.limits() if aside is not None else ():
        if frame.x.holds(at):
            x_at = min(max(frame.x.at(at) + (aside or 0.0), frame.left), frame.right)
            start, end = (frame.y.at(marks.shown(limit)) for limit in (low, high))
            inside.append(interval_bar(x_at, start, x_at, end, 2.5))
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


def _read(frame: Frame, marks: Errors, curve: ErrorCurve) -> str | None:
    """The curve at round rates, the same for all curves, so that they can be read together; None if it has no such point."""
    rates = log_ticks(max(frame.x.low, 1e-12), frame.x.high, _READ)
    found = [(at, curve.fnmr_at(at)) for at in rates if curve.holds(at)]
    least = 0.0 if marks.complement else (1 - 1e-9) / curve.n_genuine
    shown = [(x, marks.shown(y)) for x, y in found if y >= least]
    kept = np.array([(x, y) for x, y in shown if frame.y.holds(y)])
    return points_of(*kept.T) if len(kept) else None


def _beyond(frame: Frame, corner: int) -> str:
    """A triangle in the corner that a curve without errors is beyond."""
    x, y = frame.left + 4 + 12 * corner, frame.bottom - 4
    points = f"{number(x)},{number(y)} {number(x + 9)},{number(y - 3)} {number(x + 3)},{number(y - 9)}"
    return element("polygon", class_="dot beyond", points=points)
