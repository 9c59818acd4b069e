"""Charts as SVG: one drawing for each choice of scales."""

from __future__ import annotations

import numpy as np

from proband.report.charts.palette import is_grey
from proband.report.charts.scales import AxisScale, Floats, linear_ticks
from proband.report.charts.spec import (
    TINT,
    Axis,
    Chart,
    Curves,
    Errors,
    Histograms,
    Mark,
    Matrix,
    Outline,
    Rows,
    Series,
)
from proband.report.charts.svg.axes import LETTER, WIDTH, Frame, direct_names, dot, interval_bar
from proband.report.charts.svg.elements import element, line, number, path, points_of, series, words
from proband.report.charts.svg.errors import draw_errors
from proband.report.charts.svg.thinning import Places, steps, visible

_EXACT, _READ = 10, 50  # curves can be read at all of the first ranks, and at so many of all
_LONGEST = 26  # letters of a name that are shown
_ROW, _MANY, _CROWDED = 30.0, 16, 22.0
_IN_CELL = 13.0  # the size of letters in a cell that has room for them


def drawings(chart: Chart) -> dict[str, str]:
    """Draw a chart on each of its scales, by their names."""
    return {axes[0].kind: _drawing(chart, axes) for axes in chart.axes}


def _drawing(chart: Chart, axes: tuple[Axis, Axis]) -> str:
    match chart.marks:
        case Curves():
            frame, parts = _curves(chart.marks, axes)
        case Rows():
            frame, parts = _rows(chart, chart.marks, axes)
        case Errors():
            frame = Frame.of(*axes)
            parts = [*frame.axes(), *draw_errors(frame, chart, chart.marks, axes)]
        case Histograms():
            frame, parts = _histograms(chart, chart.marks, axes)
        case Matrix():
            frame, parts = _matrix(chart.marks, axes)
    return frame.drawing(chart, parts)


def _curves(marks: Curves, axes: tuple[Axis, Axis]) -> tuple[Frame, list[str]]:
    aside = 5.0 * len(marks.series) + 6 if marks.step and marks.banded else 12.0
    frame = Frame.of(*axes, aside, 6.0)
    # Those in grey are below those in colour.
    ordered = sorted(enumerate(marks.series), key=lambda pair: not is_grey(pair[1].place))
    drawn = [_curve(frame, marks, one, order) for order, one in ordered]
    grey = [(one.name, frame.x(one.xs), frame.y(one.ys)) for _, one in ordered if is_grey(one.place)]
    return frame, [*frame.axes(), *drawn, *direct_names(frame, grey)]


def _curve(frame: Frame, marks: Curves, one: Series, order: int) -> str:
    """One curve: its band, its line, and a dot with an interval at the rank in question or a dot at every size."""
    before = len(marks.series) - order
    x, y = frame.x(one.xs), frame.y(one.ys)
    inside = []
    if marks.banded and len(one.low) > 1:
        inside.append(_band(frame, one, step=marks.step))
    inside += [_line(frame, *thin, "line thin", step=marks.step) for thin in one.thin]
    inside.append(_line(frame, one.xs, one.ys, "line", step=marks.step))
    if not marks.dotted:
        read = visible(x, y)
    elif marks.step:
        at = min(marks.rank, len(x)) - 1
        aside = float(x[at]) - (5.0 * before if marks.banded and at == 0 else 0.0)
        if marks.banded and at < len(one.low):
            inside.append(interval_bar(aside, frame.y.at(one.low[at]), aside, frame.y.at(one.high[at]), 2.0))
        inside.append(dot(aside, float(y[at]), radius=3.5))
        read = _read_ranks(frame.x, len(x)) - 1
    else:
        inside += [dot(float(a), float(b), radius=3.0) for a, b in zip(x, y, strict=True)]
        read = np.arange(len(x))
    points = points_of(one.xs[read], one.ys[read])
    shape = "step" if marks.step else "line"
    return series(order, one.place, one.name, *inside, points=points, shape=shape)


def _line(frame: Frame, xs: Floats, ys: Floats, look: str, *, step: bool) -> str:
    """The path of a line, as far as it can be seen."""
    x, y = frame.x(xs), frame.y(ys)
    corners = steps(x, y) if step else (x, y)
    kept = visible(*corners)
    return element("path", class_=look, d=path(corners[0][kept], corners[1][kept]), fill="none")


def _read_ranks(ranks: AxisScale, last: int) -> Places:
    """The ranks at which curves can be read: the same for all of them, so that they can be read together."""
    if ranks.kind == "log":
        found = [round(10 ** (k / 12)) for k in range(12 * len(str(last)))]
    else:
        found = [int(rank) for rank in linear_ticks(1, max(last, 2), _READ, whole=True)]
    return np.unique([rank for rank in (*range(1, _EXACT + 1), *found, last) if rank <= last])


def _band(frame: Frame, one: Series, *, step: bool) -> str:
    """The area between the ends of the intervals."""
    x = frame.x(one.xs[: len(one.low)])
    edges = []
    for limit in (one.low, one.high):
        across, up = steps(x, frame.y(limit)) if step else (x, frame.y(limit))
        kept = visible(across, up)
        edges.append((across[kept], up[kept]))
    (low_x, low_y), (high_x, high_y) = edges
    outline = path(np.append(low_x, high_x[::-1]), np.append(low_y, high_y[::-1]), closed=True)
    return element("path", class_="band", d=outline, stroke="none")


def _rows(chart: Chart, marks: Rows, axes: tuple[Axis, Axis]) -> tuple[Frame, list[str]]:
    shown = [shortened(name) for name in marks.labels]
    left = min(LETTER * max(map(len, shown)) + 18, WIDTH / 2.6)
    right = LETTER * max(map(len, marks.beside), default=0) + 14
    height = max(_ROW if len(shown) <= _MANY else _CROWDED, 10.0 * marks.together + 10)
    frame = Frame.of_rows(*axes, left, right, height)
    parts = frame.axes(y_ticks=False, most_x=9)
    if marks.margin is not None:
        start, end = frame.x.at(-marks.margin), frame.x.at(marks.margin)
        parts.append(_area(frame, "margin", start, end))
    if marks.reference is not None:
        parts.append(_upright(frame, marks.reference))
    for row, name in enumerate(shown):
        parts.append(words(left - 8, frame.y.at(row) + 5, name, "tick", "end"))
    for row, said in enumerate(marks.beside):
        parts.append(words(frame.right + 8, frame.y.at(row) + 5, said, "tick"))
    for order, name in enumerate(marks.names):
        own = [one for one in marks.marks if one.place == order]
        if own:
            aside = 10.0 * (order % marks.together - (marks.together - 1) / 2)
            inside = [
                part for one in own for part in _marked(frame, axes[0], one, frame.y.at(one.row) + aside)
            ]
            parts.append(series(order, chart.place(order), name, *inside, shape="point"))
    return frame, parts


def _marked(frame: Frame, axis: Axis, one: Mark, y: float) -> list[str]:
    """A value and its interval, as far as the axis goes; where either goes on, an arrow says so."""
    scale = frame.x
    if one.single:
        return [dot(scale.at(one.value), y, hollow=True, radius=3.0)]
    low, high = (
        end if np.isfinite(end) else limit for end, limit in ((one.low, scale.low), (one.high, scale.high))
    )
    made = [interval_bar(scale.at(low), y, scale.at(high), y, 3.0)]
    made += [_arrow(scale.end, y)] if axis.ends_before(high) else []
    return (
        made
        if axis.ends_before(one.value)
        else [*made, dot(scale.at(one.value), y, hollow=not one.supported)]
    )


def _arrow(x: float, y: float) -> str:
    """The sign that something goes on beyond the right end of an axis."""
    return element("path", class_="dot beyond", d=f"M{number(x + 8)} {number(y)}l-8 -4v8z")


def shortened(name: str, longest: int = _LONGEST) -> str:
    """A name without its middle if it is long: names often differ at their ends."""
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[-end:]}"


def _histograms(chart: Chart, marks: Histograms, axes: tuple[Axis, Axis]) -> tuple[Frame, list[str]]:
    frame = Frame.of(*axes)
    parts = frame.axes(y_ticks=axes[1].unit == "rate")
    if marks.shaded_to is not None:
        parts.append(_area(frame, "shade", frame.left, frame.x.at(marks.shaded_to), fill_opacity="0.08"))
    outlines = [_histogram(frame, n, chart.place(n), one) for n, one in enumerate(marks.outlines)]
    if marks.reference is None:
        return frame, parts + outlines
    at = frame.x.at(marks.reference)
    if not marks.reference_label:
        return frame, [*parts, _upright(frame, marks.reference), *outlines]
    late = at > (frame.left + frame.right) / 2
    said = words(
        at - 6 if late else at + 6, frame.top + 12, marks.reference_label, "note", "end" if late else None
    )
    return frame, [*parts, *outlines, _upright(frame, marks.reference), said]


def _histogram(frame: Frame, order: int, place: int, one: Outline) -> str:
    """One histogram, tinted, and its value with the interval above."""
    x = frame.x(np.repeat(one.edges, 2))
    y = frame.y(np.concatenate([[0.0], np.repeat(one.heights, 2), [0.0]]))
    kept = visible(x, y)
    outline = path(x[kept], y[kept])
    inside: list[str] = [
        element("path", class_="fill", d=f"{outline}z", stroke="none", fill_opacity="0.15"),
        element("path", class_="line", d=outline, fill="none"),
    ]
    if one.value is not None:
        middle, low, high = one.value
        above = frame.top + 10 + 9.0 * (order % 6)
        inside.append(interval_bar(frame.x.at(low), above, frame.x.at(high), above, 3.0))
        inside.append(dot(frame.x.at(middle), above))
    points = points_of((one.edges[:-1] + one.edges[1:]) / 2, one.heights)
    return series(order, place, one.name, *inside, points=points, shape="point")


def _matrix(marks: Matrix, axes: tuple[Axis, Axis]) -> tuple[Frame, list[str]]:
    """Cells tinted by their shares, with their numbers; names of columns read upwards where they are wide."""
    names, n = [shortened(name, 16) for name in marks.labels], len(marks.labels)
    longest = LETTER * max(map(len, names))
    left = max(longest + 18, 90.0)
    wide = (WIDTH - left) / n
    turned = longest > wide - 4
    frame = Frame.of_cells(*axes, left, (longest if turned else 16.0) + 34, _ROW if n <= _MANY else _CROWDED)
    half = abs(frame.x.at(1) - frame.x.at(0)) / 2, abs(frame.y.at(1) - frame.y.at(0)) / 2
    size = min(_IN_CELL, (2 * half[0] - 2) / (0.62 * marks.longest))
    parts: list[str] = [words(4, 17, axes[1].label, "label")]
    parts.append(words((frame.left + frame.right) / 2, frame.height - 8, axes[0].label, "label", "middle"))
    for place, name in enumerate(names):
        parts.append(words(left - 8, frame.y.at(place) + 5, name, "tick", "end"))
        across = frame.x.at(place) + (5 if turned else 0)
        parts.append(words(across, frame.top - 8, name, "tick", None if turned else "middle", turned=turned))
    for row, texts in enumerate(marks.texts):
        for column, text in enumerate(texts):
            x, y = frame.x.at(column), frame.y.at(row)
            tint = number(TINT * float(marks.shares[row, column]), 3)
            cell = {"x": x - half[0], "y": y - half[1], "width": 2 * half[0], "height": 2 * half[1]}
            parts.append(element("rect", class_="cell", fill_opacity=tint, **cell))
            kind = "in-cell" if marks.shares[row, column] > 0 else "in-cell nothing"
            parts.append(
                element("text", text, class_=kind, x=x, y=y + size / 3, text_anchor="middle", font_size=size)
            )
    return frame, parts


def _upright(frame: Frame, value: float) -> str:
    """A line to compare with."""
    return line(frame.x.at(value), frame.top, frame.x.at(value), frame.bottom, "reference")


def _area(frame: Frame, kind: str, start: float, end: float, **more: str) -> str:
    """A part of the frame, from top to bottom."""
    high = frame.bottom - frame.top
    return element("rect", class_=kind, x=start, y=frame.top, width=end - start, height=high, **more)
