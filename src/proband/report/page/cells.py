"""Numbers as cells of the page: `proband.words` rounds them, and each cell keeps the number it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from proband import words
from proband.report.page.model import Block, Cell, Column, Ends, Paragraph, Places, Share, TableView, Tone
from proband.results.base import Answers
from proband.words import Note, as_sentence

NOTHING = "–"
# The formats by the names that sections of the page know them by.
count, percent, p_value = words.count, words.level, words.p_value
rate, interval, small, threshold = words.fixed, words.interval, words.digits, words.threshold
effect, effect_interval, size_of = words.effect, words.effect_interval, words.size_of


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
    return empty_cell() if ends is None else Cell(interval(ends[0], ends[1]), Ends(*ends), answers=answers)


def small_cell(value: float, supported: bool = True) -> Cell:
    """A small rate; an asterisk where it rests on too few errors."""
    return Cell(small(value), value, unsupported(supported))


def unsupported(supported: bool) -> str:
    """The mark of a rate that rests on too few errors."""
    return "" if supported else "*"


def small_interval_cell(low: float, high: float, answers: Answers) -> Cell:
    """An interval of a small rate."""
    return Cell(words.small_interval(low, high), Ends(low, high), answers=answers)


def effect_cell(value: float, in_points: bool = True) -> Cell:
    """A difference."""
    return Cell(effect(value, in_points), _unit(in_points) * value)


def effect_interval_cell(low: float, high: float, in_points: bool, answers: Answers) -> Cell:
    """An interval of a difference."""
    ends = Ends(_unit(in_points) * low, _unit(in_points) * high)
    return Cell(effect_interval(low, high, in_points), ends, answers=answers)


def range_cell(value: float) -> Cell:
    """A width, in points."""
    return Cell(words.fixed(100 * value, 1), 100 * value)


def _unit(in_points: bool) -> int:
    return 100 if in_points else 1


def p_cell(value: float | None, test: words.Method | None = None, pairs: int = 1) -> Cell:
    """A p-value of a test; the sign is shown where it is not equality."""
    floor = None if test is None else test.floor
    return empty_cell() if value is None else Cell(words.p_alone(value, floor, pairs), value)


def count_cell(value: float | None) -> Cell:
    """A number of things."""
    return empty_cell() if value is None else Cell(count(value), value)


def share_cell(part: float, whole: int) -> Cell:
    """So many of so many."""
    return Cell(words.out_of(part, whole), Share(part, whole))


def places_cell(best: int, worst: int) -> Cell:
    """The places an algorithm can hold."""
    return Cell(words.run_of(best, worst), Places(best, worst))


def threshold_cell(value: float | None) -> Cell:
    """A threshold."""
    return Cell(threshold(value), value)


def fixed_cell(value: float | None, places: int = 2) -> Cell:
    """A number to so many places."""
    if value is None or not isfinite(value):
        return empty_cell()
    return Cell(words.fixed(value, places), value)


def columns(*titles: str, text: int = 1) -> tuple[Column, ...]:
    """Headings, the first `text` of which are over words and the others over numbers."""
    return tuple(Column(title, place >= text) for place, title in enumerate(titles))


def table(
    id: str,
    caption: str,
    heads: tuple[Column, ...],
    rows: Iterable[Iterable[Cell]],
    notes: Iterable[Note | str] = (),
    latex: str | None = None,
) -> TableView:
    """A table from any rows."""
    return TableView(id, caption, heads, tuple(map(tuple, rows)), tuple(map(as_sentence, notes)), latex)


def said(notes: Iterable[words.Note | str]) -> list[Block]:
    """A paragraph for each note, or sentence that is finished."""
    return [Paragraph(one if isinstance(one, str) else as_sentence(one)) for one in notes]


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
