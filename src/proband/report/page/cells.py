"""Numbers as the page shows them: every rounding of the page is here, and each cell keeps the number it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isclose, isfinite

from proband.measures.results import Answers
from proband.report.page.model import Block, Cell, Column, Paragraph, TableView, Tone

NOTHING = "–"
_DRAWN = re.compile(r"\(([\d,]+) (?:times|replicates)\)")
# Tests that draw say how often, but for the sign flips of fractions and the labels permuted for Cochran's Q.
_DRAWS = {"sign-flip over people's mean successes": 100_000, "labels permuted within people": 9_999}


def percent(level: float) -> str:
    """A confidence level: 95%, 99.5%."""
    return f"{100 * level:g}%"


def rate(value: float) -> str:
    """A rate, an area or another estimate, to four places."""
    return f"{value:.4f}" if isfinite(value) else "none"


def interval(low: float, high: float) -> str:
    """The ends of a rate's interval."""
    return f"[{rate(low)}, {rate(high)}]"


def effect(value: float, in_points: bool = True) -> str:
    """A difference: of rates in percentage points, otherwise as it is; always with its sign."""
    return f"{(100 if in_points else 1) * value:+.2f}".replace("-", "−")


def effect_interval(low: float, high: float, in_points: bool = True) -> str:
    """The ends of a difference's interval."""
    return f"[{effect(low, in_points)}, {effect(high, in_points)}]"


def size_of(value: float, in_points: bool = True) -> str:
    """A difference worth having, with its unit."""
    shown = f"{(100 if in_points else 1) * value:g}"
    return shown + ("" if not in_points else " point" if shown == "1" else " points")


def small(value: float) -> str:
    """A small rate, such as a false match rate, to three digits."""
    return f"{value:.3g}"


def threshold(value: float | None) -> str:
    """A threshold, to six digits."""
    return "none" if value is None else f"{value:.6g}"


def count(value: float) -> str:
    """A number of things, with separators; fractions of a success to one place."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def floor_of(method: str) -> float | None:
    """The smallest p-value a test by drawing can give, from how it is described; None for closed forms."""
    for name, draws in _DRAWS.items():
        if name in method:
            return 1 / (draws + 1)
    found = _DRAWN.search(method)
    return None if found is None else 1 / (int(found[1].replace(",", "")) + 1)


def p_value(value: float, floor: float | None = None, pairs: int = 1) -> str:
    """A p-value with the sign before it: ≤ where more draws could have made it smaller.

    Parameters
    ----------
    floor
        The smallest p-value the test can give.
    pairs
        For an adjusted p-value, the number of pairs: Holm multiplies by a whole number up to it.
    """
    times = None if floor is None or value >= 1 else value / floor
    at_floor = times is not None and isclose(times, round(times), rel_tol=1e-9) and 1 <= round(times) <= pairs
    if value < 1e-15:
        return "< 1e-15"
    return f"{'≤' if at_floor else '='} {value:.2g}"


def text_cell(text: str, tone: Tone = "plain") -> Cell:
    """A name, sorted as it reads."""
    return Cell(text, text, tone=tone)


def empty_cell() -> Cell:
    """Nothing to show."""
    return Cell(NOTHING)


def rate_cell(value: float | None, raised: str = "") -> Cell:
    """An estimate."""
    return empty_cell() if value is None else Cell(rate(value), _finite(value), raised)


def interval_cell(ends: Sequence[float] | None, answers: Answers) -> Cell:
    """An interval of a rate, sorted by its lower end."""
    return (
        empty_cell() if ends is None else Cell(interval(ends[0], ends[1]), _finite(ends[0]), answers=answers)
    )


def small_cell(value: float, supported: bool = True) -> Cell:
    """A small rate; an asterisk where it rests on too few errors."""
    return Cell(small(value) + ("" if supported else "*"), value)


def small_interval_cell(low: float, high: float, answers: Answers) -> Cell:
    """An interval of a small rate."""
    return Cell(f"[{small(low)}, {small(high)}]", low, answers=answers)


def effect_cell(value: float, in_points: bool = True) -> Cell:
    """A difference."""
    return Cell(effect(value, in_points), value)


def effect_interval_cell(low: float, high: float, in_points: bool, answers: Answers) -> Cell:
    """An interval of a difference."""
    return Cell(effect_interval(low, high, in_points), low, answers=answers)


def p_cell(value: float | None, floor: float | None = None, pairs: int = 1) -> Cell:
    """A p-value; the sign is shown where it is not equality."""
    return empty_cell() if value is None else Cell(p_value(value, floor, pairs).removeprefix("= "), value)


def count_cell(value: float | None) -> Cell:
    """A number of things."""
    return empty_cell() if value is None else Cell(count(value), value)


def share_cell(part: float, whole: int) -> Cell:
    """So many of so many."""
    return Cell(f"{count(part)} of {count(whole)}", part)


def threshold_cell(value: float | None) -> Cell:
    """A threshold."""
    return Cell(threshold(value), value)


def fixed_cell(value: float | None, places: int = 2) -> Cell:
    """A number to so many places."""
    if value is None or not isfinite(value):
        return empty_cell()
    return Cell(f"{value:,.{places}f}".replace("-", "−"), value)


def columns(*titles: str, text: int = 1) -> tuple[Column, ...]:
    """Headings, the first `text` of which are over words and the others over numbers."""
    return tuple(Column(title, place >= text) for place, title in enumerate(titles))


def table(
    id: str,
    caption: str,
    heads: tuple[Column, ...],
    rows: Iterable[Iterable[Cell]],
    notes: Iterable[str] = (),
    latex: str | None = None,
) -> TableView:
    """A table from any rows."""
    return TableView(id, caption, heads, tuple(map(tuple, rows)), tuple(notes), latex)


def said(sentences: Iterable[str]) -> list[Block]:
    """A paragraph for each sentence."""
    return [Paragraph(one) for one in sentences]


def as_sentence(note: str) -> str:
    """A note as a sentence of its own."""
    return f"{note[0].upper()}{note[1:]}" + ("" if note.endswith((".", "!", "?")) else ".")


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
