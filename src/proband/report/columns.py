"""Declarative tables: rows, and a column for each property of a row.

A column is made by its role from a heading and a function of the row. The role decides the format; an asterisk marks rows with too
few data, and missing values are left empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan
from typing import Any, Generic, Literal, TypeVar

from proband.report.charts.scales import Unit
from proband.report.tables import cells
from proband.report.tables.table import Cell, Column, Kind, Table
from proband.results.base import Answers
from proband.words import Note, as_sentence, level

Row = TypeVar("Row")
Any_Row = TypeVar("Any_Row", contravariant=True)
Thing = TypeVar("Thing")
Value = TypeVar("Value")
Ends = Sequence[float]
Written = Unit | Literal["small"]
"""Unit of a value; small rates are shown with more decimals."""


@dataclass(frozen=True)
class ColumnOf(Generic[Any_Row]):
    """A column, the cell of every row, and whether the table has it."""

    column: Column
    cell: Callable[[Any_Row], Cell]
    when: bool = True


def table_of(
    caption: str,
    rows: Iterable[Row],
    *columns: ColumnOf[Row],
    id: str = "",
    on_page: str = "",
    notes: Iterable[Note | str] = (),
) -> Table:
    """Make a table of rows.

    Parameters
    ----------
    caption
        Caption of the table.
    rows, columns
        Rows, and columns for the properties of a row.
    id, on_page
        ID on the page, and its title there if it differs from the caption.
    notes
        Notes below the table.

    Examples
    --------
    >>> table = table_of(
    ...     "squares", [1, 2], name("number", str), rate("root", lambda n: n**0.5, supported=lambda n: n > 1), count("square", lambda n: n * n)
    ... )
    >>> [[cell.text + cell.raised for cell in row] for row in table.rows]
    [['1', '1.0000*', '1'], ['2', '1.4142', '4']]
    """
    kept = [one for one in columns if one.when]
    return Table(
        caption,
        tuple(one.column for one in kept),
        tuple(tuple(one.cell(row) for one in kept) for row in rows),
        tuple(map(as_sentence, notes)),
        id=id,
        on_page=on_page,
    )


def ends(found: Any) -> tuple[float, float] | None:
    """The ends of what has an interval; None where it has none."""
    if found is None or found.low is None or found.high is None or isnan(found.low) or isnan(found.high):
        return None
    return found.low, found.high


def _unknown(row: object) -> None:
    raise AssertionError("say what the column contains")


@dataclass(frozen=True)
class Role(Generic[Value]):
    """Kind of content of a column.

    Attributes
    ----------
    kind, write
        Kind of the cells, and function that formats a value as a cell.
    own
        Value of a row that is itself such a value, such as an estimate.
    nothing
        Cell for a missing value.
    """

    kind: Kind
    write: Callable[..., Cell]
    own: Callable[[Any], Value | None] = _unknown
    nothing: Cell = field(default_factory=cells.empty_cell)

    def __call__(
        self,
        heading: str,
        of: Callable[[Row], Value | None] | None = None,
        explained: str = "",
        *,
        when: bool = True,
        supported: Callable[[Row], bool] | None = None,
        answers: Answers | Callable[[Row], Answers | None] | None = None,
        key: str = "",
        unit: str = "",
        leads: bool = False,
        kind: Kind | None = None,
        **how: Any,
    ) -> ColumnOf[Row]:
        """Make a column.

        Parameters
        ----------
        heading, explained, key, unit, leads
            As of a `Column`.
        of
            Value of a row, or None if missing. Default: the row itself.
        when
            Whether the table includes the column.
        supported
            Whether a row is based on enough errors or people; if not, the value gets an asterisk.
        answers
            Answers of its intervals.
        kind
            Kind of the column, if it differs from the role's.
        how
            Other options of the role: ``places``, ``significant``, ``in_points``.
        """
        read = of or self.own

        def cell(row: Row) -> Cell:
            value = read(row)
            if value is None:
                return self.nothing
            made = self.write(value, **how)
            if supported is not None:
                made = replace(made, raised=cells.unsupported(supported(row)))
            return (
                made if answers is None else _answered(made, answers(row) if callable(answers) else answers)
            )

        return ColumnOf(Column(heading, kind or self.kind, explained, key, unit, leads), cell, when)


def _answered(cell: Cell, answers: Answers | None) -> Cell:
    """The same cell, with answers attached to its interval or to the interval below."""
    if cell.below is not None:
        return replace(cell, below=_answered(cell.below, answers))
    return replace(cell, answers=answers)


def _pair(write: Callable[..., Cell]) -> Callable[..., Cell]:
    """A writer of two numbers as one of a pair of them."""
    return lambda both, **how: write(*both, **how)


def _over(value: Role[float], interval: Role[Ends]) -> Callable[..., Cell]:
    """A writer of a value with the interval below it, if it has one."""

    def write(found: tuple[float, Ends | None], **how: Any) -> Cell:
        first, ends = found
        made = value.write(first, **how)
        return made if ends is None else cells.over(made, interval.write(ends, **how))

    return write


def _tested(found: float | tuple[float | None, float | None]) -> Cell:
    return cells.p_cell(*found) if isinstance(found, tuple) else cells.p_cell(found, None)


def _value(row: Any) -> float | None:
    return row.value  # type: ignore[no-any-return]


def _p_value(row: Any) -> float | None:
    return row.p_value  # type: ignore[no-any-return]


name: Role[str] = Role("name", cells.text_cell)
text: Role[str] = Role("text", cells.text_cell)
rate: Role[float] = Role("number", cells.rate_cell, _value)
interval: Role[Ends] = Role("interval", cells.interval_cell, ends)
small: Role[float] = Role("number", cells.small_cell, _value)
small_interval: Role[Ends] = Role("interval", _pair(cells.small_interval_cell), ends)
effect: Role[float] = Role("number", cells.effect_cell)
effect_interval: Role[Ends] = Role("interval", _pair(cells.effect_interval_cell), ends)
digits: Role[float] = Role("number", cells.digits_cell, _value)
digits_interval: Role[Ends] = Role("interval", _pair(cells.ends_cell), ends)
number: Role[float] = Role("number", partial(cells.digits_cell, significant=6), _value)
fixed: Role[float] = Role("number", cells.fixed_cell)
given: Role[float] = Role("number", cells.given_cell)
threshold: Role[float] = Role("number", cells.threshold_cell, nothing=cells.threshold_cell(None))
count: Role[float] = Role("number", cells.count_cell)
share: Role[tuple[float, int]] = Role("number", _pair(cells.share_cell))
places: Role[tuple[int, int]] = Role("number", _pair(cells.places_cell))
p: Role[float | tuple[float | None, float | None]] = Role("number", _tested, _p_value)
"""A p-value, optionally with the smallest p-value of its test."""
cell: Role[Cell] = Role("number", lambda made: made)
"""What is written by hand."""
# A value with its interval below it.
estimate: Role[tuple[float, Ends | None]] = Role("number", _over(rate, interval))
small_estimate: Role[tuple[float, Ends | None]] = Role("number", _over(small, small_interval))
difference: Role[tuple[float, Ends | None]] = Role("number", _over(effect, effect_interval))

_MEASURED: dict[Written, tuple[Role[float], Role[Ends]]] = {
    "rate": (rate, interval),
    "small": (small, small_interval),
    "points": (effect, effect_interval),
    "number": (number, digits_interval),
    "count": (count, digits_interval),
}


def measured(unit: Written) -> tuple[Role[float], Role[Ends]]:
    """The roles of a value and of its interval, by what it is measured in."""
    return _MEASURED[unit]


def at_level(confidence_level: float) -> str:
    """Heading of intervals."""
    return f"{level(confidence_level)} interval"


def each(things: Iterable[Thing], make: Callable[[Thing], ColumnOf[Any]]) -> list[ColumnOf[Any]]:
    """A column for each of several things."""
    return [make(one) for one in things]


def inside(part: Callable[[Any], Thing | None], *columns: ColumnOf[Thing]) -> list[ColumnOf[Any]]:
    """Columns of a part of a row, empty where it has none."""

    def lifted(one: ColumnOf[Thing]) -> ColumnOf[Any]:
        def cell(row: Any) -> Cell:
            found = part(row)
            return cells.empty_cell() if found is None else one.cell(found)

        return replace(one, cell=cell)

    return [lifted(one) for one in columns]
