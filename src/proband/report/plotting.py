"""Figures of results: their own, or values with intervals."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from proband.engine.rendering import Shown
from proband.errors import UsageError, unknown_name
from proband.report.charts.makers.rows import Valued, difference_label, values
from proband.report.charts.scales import Unit
from proband.report.charts.spec import Chart
from proband.report.figures.style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_VALUES = ("value", "rate", "difference", "mean")  # what holds the number of a row, the first there is
_NAMES = ("classifier", "protocol", "algorithm", "category", "group", "gallery", "first", "second")


def one_of(figures: Callable[[Any], Mapping[str, Callable[[], Figure]]], first: str) -> Callable[..., Figure]:
    """Draw one of a result's figures by name."""

    def draw(result: Any, which: str = first) -> Figure:
        named = figures(result)
        if which not in named:
            raise unknown_name("figure", which, named)
        return named[which]()

    return draw


def drawn_by(figure: Callable[..., Figure], of: Callable[[Any], Any]) -> Callable[..., Figure]:
    """Draw a result by a figure of one of its parts, with the figure's own options."""

    @wraps(figure)
    def draw(result: object, **options: Any) -> Figure:
        return figure(of(result), **options)

    return draw


def alone(result: object) -> list[object]:
    """One result as a list, for figures of several."""
    return [result]


def displayed(drawn: Figure) -> Figure:
    """Let a notebook show a figure not managed by pyplot."""
    vars(drawn)["_repr_png_"] = partial(_png, drawn)
    return drawn


def _png(drawn: Figure) -> bytes:
    import matplotlib as mpl

    written = io.BytesIO()
    with mpl.rc_context(STYLE):
        drawn.savefig(written, format="png", dpi=STYLE["figure.dpi"])
    return written.getvalue()


def values_chart(result: Shown) -> Chart:
    """Chart the rows of a result's frame, or the result itself, as values with their intervals."""
    rows = result.to_frame(wide=True).to_dicts() if hasattr(result, "to_frame") else [vars(result)]
    key = next((key for key in _VALUES if rows and isinstance(rows[0].get(key), int | float)), None)
    found = [_valued(row, key) for row in rows if row.get(key) is not None] if key is not None else []
    if key is None or not found or (key == "mean" and "low" not in rows[0]):
        raise UsageError(
            f"A {type(result).__name__} cannot be plotted: it has no value with an interval.",
            _drawable(result),
        )
    answers, unit = getattr(result, "answers", None), _unit(key, rows)
    label = str(answers.of) if answers is not None else difference_label(True) if unit == "points" else key
    level = getattr(result, "confidence_level", None)
    return values(found, label, unit, level)


def _valued(row: Mapping[str, Any], key: str | None) -> Valued:
    """A row's value."""
    value = float(row[key or ""])
    facts = row.get("facts")
    names = [str(row[name]) for name in _NAMES if row.get(name) is not None]
    name = (" − " if "second" in row else " · ").join(names) or (facts.algorithm if facts is not None else "")
    return Valued(name, value, row.get("low"), row.get("high"), bool(row.get("supported", True)))


def _unit(key: str, rows: Sequence[Mapping[str, Any]]) -> Unit:
    if key == "difference" or "second" in rows[0]:
        return "points" if all(row.get("in_points", True) for row in rows) else "number"
    return "rate" if key == "rate" or all(row.get("events") is not None for row in rows) else "number"


def _drawable(result: Shown) -> str:
    """Name the parts of a result that can be drawn."""
    parts = [
        name
        for name, value in vars(result).items()
        if isinstance(value[0] if isinstance(value, tuple) and value else value, Shown)
    ]
    return f"plot one of its parts: {', '.join(parts)}." if parts else "plot the results it was made from."
