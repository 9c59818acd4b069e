"""Values with their intervals, a row each: where they stand and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.report.page.charts.axes import LETTER, WIDTH, Domain, Frame, dot, interval_bar
from proband.report.page.charts.scales import Unit, rounded_out
from proband.report.page.charts.svg import element, line, series, words

_LONGEST = 26  # letters of a name that are shown
_ROW, _MANY, _CROWDED = 30.0, 16, 22.0


@dataclass(frozen=True)
class Mark:
    """A value in a row: whose it is, its interval, and whether enough is behind it."""

    row: int
    series: int
    value: float
    low: float
    high: float
    supported: bool = True


def around(marks: Sequence[Mark], unit: Unit, also: Sequence[float] = ()) -> Domain:
    """Round ends around all intervals and what else is to be seen; rates stay within 0 and 1."""
    ends = [end for one in marks for end in (one.value, one.low, one.high) if np.isfinite(end)]
    low, high = rounded_out(min([*ends, *also], default=0.0), max([*ends, *also], default=1.0))
    return ("linear", max(low, 0.0), min(high, 1.0), unit) if unit == "rate" else ("linear", low, high, unit)


def around_logs(marks: Sequence[Mark]) -> Domain:
    """Ends around all that is above zero, not more than six powers of ten."""
    ends = [end for one in marks for end in (one.value, one.low, one.high) if end > 0]
    high = min(1.2 * max(ends), 1.0)
    return "log", max(0.8 * min(ends), high / 1e6), high, "rate"


def rows_drawing(
    id: str,
    title: str,
    said: str,
    labels: Sequence[str],
    names: Sequence[str],
    marks: Sequence[Mark],
    domain: Domain,
    x_label: str,
    *,
    beside: Sequence[str] = (),
    margin: float | None = None,
) -> str:
    """Draw rows of values; several series of a row stand below one another."""
    shown = [shortened(name) for name in labels]
    left = min(LETTER * max(map(len, shown)) + 18, WIDTH / 2.6)
    right = LETTER * max(map(len, beside), default=0) + 14
    together = len({one.series for one in marks}) if len(marks) > len(labels) else 1
    height = max(_ROW if len(labels) <= _MANY else _CROWDED, 10.0 * together + 10)
    frame = Frame.of_rows(domain, len(labels), x_label, left, right, height)
    parts = frame.axes(y_ticks=False, most_x=9)
    if margin is not None and domain[3] in ("points", "number"):
        start, end = frame.x.at(-margin), frame.x.at(margin)
        parts.append(
            element(
                "rect",
                class_="margin",
                x=start,
                y=frame.top,
                width=end - start,
                height=frame.bottom - frame.top,
            )
        )
    if domain[3] == "points" or beside:
        parts.append(line(frame.x.at(0), frame.top, frame.x.at(0), frame.bottom, "reference"))
    for row, name in enumerate(shown):
        parts.append(words(left - 8, frame.y.at(row) + 5, name, "tick", "end"))
    for row, verdict in enumerate(beside):
        parts.append(words(frame.right + 8, frame.y.at(row) + 5, verdict, "tick"))
    for place, name in enumerate(names):
        own = [one for one in marks if one.series == place]
        if own:
            parts.append(_marked(frame, place, name, own, together))
    return frame.drawing(id, title, said, parts)


def _marked(frame: Frame, place: int, name: str, marks: Sequence[Mark], together: int) -> str:
    """All values of one series."""
    inside = []
    aside = 10.0 * (place % together - (together - 1) / 2)
    for one in marks:
        y = frame.y.at(one.row) + aside
        low, high = (
            end if np.isfinite(end) else limit
            for end, limit in ((one.low, frame.x.low), (one.high, frame.x.high))
        )
        inside.append(interval_bar(frame.x.at(low), y, frame.x.at(high), y, 3.0))
        inside.append(dot(frame.x.at(one.value), y, hollow=not one.supported))
    return series(place, name, *inside, shape="point")


def shortened(name: str, longest: int = _LONGEST) -> str:
    """A name without its middle if it is long: names often differ at their ends."""
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[-end:]}"
