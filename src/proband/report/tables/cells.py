"""Table cells of numbers: `proband.words` rounds the text, and each cell keeps its value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite

from proband import words
from proband.report.tables.table import (
    Around,
    Cell,
    Column,
    Deviation,
    Ends,
    PlacedRate,
    PlaceRange,
    ShareOf,
    Table,
    Tone,
)
from proband.results.base import Answers
from proband.words import Note, as_sentence

NOTHING = "–"
# The formats by the names that makers of tables know them by.
count, percent, p_value = words.count, words.level, words.p_value
rate, interval, small, threshold = words.fixed, words.interval, words.digits, words.threshold
effect, effect_interval, size_of = words.effect, words.effect_interval, words.size_of


def text_cell(text: str, tone: Tone = "plain") -> Cell:
    """A name, sorted as it reads."""
    return Cell(text, text, tone=tone)


def empty_cell() -> Cell:
    """Nothing to show."""
    return Cell(NOTHING)


def blank_cell() -> Cell:
    """A cell that cannot have content."""
    return Cell("")


def over(cell: Cell, *below: Cell) -> Cell:
    """Stack cells in one; empty cells are left out."""
    kept = [one for one in below if one.value is not None]
    return replace(cell, below=over(kept[0], *kept[1:])) if kept else cell


def rate_cell(value: float | None, raised: str = "") -> Cell:
    """An estimate."""
    return empty_cell() if value is None else Cell(rate(value), _finite(value), raised)


def interval_cell(ends: Sequence[float] | None, answers: Answers | None = None) -> Cell:
    """An interval of a rate, sorted by its lower end."""
    return empty_cell() if ends is None else Cell(interval(ends[0], ends[1]), Ends(*ends), answers=answers)


def small_cell(value: float, supported: bool = True) -> Cell:
    """A small rate, with an asterisk if based on too few errors."""
    return Cell(small(value), value, unsupported(supported))


def unsupported(supported: bool) -> str:
    """The mark of a rate based on too few errors."""
    return "" if supported else "*"


def small_interval_cell(low: float, high: float, answers: Answers | None = None) -> Cell:
    """An interval of a small rate."""
    return Cell(words.small_interval(low, high), Ends(low, high), answers=answers)


def effect_cell(value: float, in_points: bool = True) -> Cell:
    """A difference."""
    return Cell(effect(value, in_points), _unit(in_points) * value)


def effect_interval_cell(
    low: float, high: float, in_points: bool = True, answers: Answers | None = None
) -> Cell:
    """An interval of a difference."""
    ends = Ends(_unit(in_points) * low, _unit(in_points) * high)
    return Cell(effect_interval(low, high, in_points), ends, answers=answers)


def range_cell(value: float) -> Cell:
    """A width, in points."""
    return Cell(words.fixed(100 * value, 1), 100 * value)


def error_cell(value: float | None) -> Cell:
    """A standard error below the value it belongs to."""
    return empty_cell() if value is None else Cell(f"± {rate(value)}", Deviation(value))


def placed_cell(value: float, place: int | None) -> Cell:
    """A rate, with the place of its algorithm if it has one."""
    return (
        rate_cell(value)
        if place is None
        else Cell(f"{rate(value)} ({count(place)})", PlacedRate(value, place))
    )


def given_cell(value: float | None) -> Cell:
    """A number chosen by the user."""
    return empty_cell() if value is None else Cell(words.given(value), value)


def digits_cell(value: float, significant: int = 3) -> Cell:
    """A number with a given number of significant digits."""
    return Cell(small(value, significant), _finite(value))


def _unit(in_points: bool) -> int:
    return 100 if in_points else 1


def ends_cell(low: float, high: float, significant: int = 3, answers: Answers | None = None) -> Cell:
    """An interval with a given number of significant digits."""
    return Cell(words.interval_of(low, high, significant), Ends(low, high), answers=answers)


def around_cell(value: float, low: float, high: float, answers: Answers | None = None) -> Cell:
    """An estimate followed by its interval."""
    return Cell(f"{rate(value)} {interval(low, high)}", Around(value, low, high), answers=answers)


def p_cell(value: float | None, floor: float | None) -> Cell:
    """A p-value, and the smallest its test can give (None if any); the sign is shown where it is not equality."""
    return empty_cell() if value is None else Cell(words.p_alone(value, floor), value)


def count_cell(value: float | None) -> Cell:
    """A number of things."""
    return empty_cell() if value is None else Cell(count(value), value)


def share_cell(part: float, whole: int) -> Cell:
    """A count out of a total."""
    return Cell(words.out_of(part, whole), ShareOf(part, whole))


def places_cell(best: int, worst: int) -> Cell:
    """Range of places of an algorithm."""
    return Cell(words.run_of(best, worst), PlaceRange(best, worst))


def threshold_cell(value: float | None) -> Cell:
    """A threshold."""
    return Cell(threshold(value), value)


def fixed_cell(value: float | None, places: int = 2) -> Cell:
    """A number to so many places."""
    if value is None or not isfinite(value):
        return empty_cell()
    return Cell(words.fixed(value, places), value)


def columns(*titles: str, text: int = 1) -> tuple[Column, ...]:
    """Headings, the first `text` of which are over names and the others over numbers."""
    return tuple(Column(title, "number" if place >= text else "name") for place, title in enumerate(titles))


def table(
    id: str,
    caption: str,
    heads: tuple[Column, ...],
    rows: Iterable[Iterable[Cell]],
    notes: Iterable[Note | str] = (),
    latex: str | None = None,
) -> Table:
    """A table of a page, from any rows."""
    return Table(caption, heads, tuple(map(tuple, rows)), tuple(map(as_sentence, notes)), id=id, latex=latex)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
