"""SVG as text: escaped elements, short numbers and reproducible bytes.

Elements have no colours; the style sheet sets their appearance by class:

``series series-N dash-M``  a group for one curve; N is one of eight colours, ``grey`` or ``ink``, M one of five; ``data-series``
                            counts the curves of a chart, ``data-name`` names them
``direct``                  the name of a curve, next to it
``line``, ``thin``          a curve, and the part based on few errors
``band``                    an area around a curve; ``fill`` the area below one
``bar``, ``dot``, ``hollow``  an interval, a value, and a value based on few errors
``grid``, ``axis``, ``tick``, ``label``, ``note``  lines and words around the data
``reference``, ``margin``, ``shade``  lines and areas to compare with
``cell``, ``in-cell``, ``nothing``  a cell of a matrix, its number, and a number of 0
``unsupported``, ``hatch``  zones with too little data

The root says how to turn places into data: ``data-scale-x`` and ``-y`` (linear, log or probit), the ends of the axes in data
(``data-x0``, ``-x1``, ``-y0``, ``-y1``) and in the units of the view box (``data-left``, ``-right``, ``-bottom``, ``-top``, in
the same order). A series has its points as ``data-points`` ("x,y;x,y"), each of them a point of the data; rows of
values have none, since there is no curve to read.
"""

from __future__ import annotations

import numpy as np

from proband.report.charts.palette import colour_name, dash_of
from proband.report.charts.scales import Floats
from proband.report.page.markup import Markup, tag


def number(value: float, decimals: int = 2) -> str:
    """A number without zeros that say nothing."""
    if not np.isfinite(value):
        raise ValueError(f"{value} has no place in a drawing")
    text = f"{value:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, *inside: str, **attributes: object) -> Markup:
    """An element; attributes as in `tag`, numbers among them written short."""
    written = {
        key: number(value) if isinstance(value, float) else None if value is None else str(value)
        for key, value in attributes.items()
    }
    return tag(name, *inside, **written)


def words(
    x: float, y: float, text: str, kind: str, anchor: str | None = None, turned: bool = False
) -> Markup:
    """Words at a place; `turned` reads upwards."""
    turn = f"rotate(-90 {number(x)} {number(y)})" if turned else None
    return element("text", text, class_=kind, x=float(x), y=float(y), text_anchor=anchor, transform=turn)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return element("line", class_=kind, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))


def path(x: Floats, y: Floats, *, closed: bool = False) -> str:
    """The data of a path through points, in steps of tenths relative to the last point."""
    tenths = np.round(10 * np.column_stack([x, y])).astype(np.int64)
    steps = np.diff(tenths, axis=0)
    start = ",".join(_tenth(one) for one in tenths[0].tolist())
    return f"M{start}" + "".join(_step(*step) for step in steps.tolist()) + ("z" if closed else "")


def _step(across: int, down: int) -> str:
    if not down:
        return f"h{_tenth(across)}" if across else ""
    if not across:
        return f"v{_tenth(down)}"
    second = _tenth(down)
    return f"l{_tenth(across)}{'' if second.startswith('-') else ' '}{second}"


def _tenth(value: int) -> str:
    whole, rest = divmod(abs(value), 10)
    text = (str(whole) if whole or not rest else "") + (f".{rest}" if rest else "")
    return f"-{text}" if value < 0 else text


def series(
    order: int, place: int, name: str, *inside: str, points: str | None = None, shape: str = "line"
) -> Markup:
    """The group of everything that belongs to one curve, with the look of a place; `shape` says how it goes on between points."""
    return element(
        "g",
        *inside,
        class_=f"series series-{colour_name(place)} dash-{dash_of(place)}",
        data_series=order,
        data_name=name,
        data_shape=shape,
        data_points=points,
    )


def points_of(x: Floats, y: Floats) -> str:
    """Points as a script reads them."""
    return ";".join(f"{a:.6g},{b:.6g}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
