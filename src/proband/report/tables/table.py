"""Table model: cells that keep their values, in typed columns; renderers make every format.

Texts are plain, and renderers escape them. A cell's text is made of its value by `proband.words` (see `proband.report.tables.cells`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from proband.results.base import Answers

if TYPE_CHECKING:
    from proband.report.charts.spec import Axis

Tone = Literal["plain", "good", "warning", "bad", "best", "faint"]
Kind = Literal["name", "text", "number", "interval"]


class Ends(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


class Bar(NamedTuple):
    """A value within its interval, drawn in a cell of the page, with the index of its style."""

    value: float
    low: float
    high: float
    place: int


class Around(NamedTuple):
    """A value, and the ends of its interval."""

    value: float
    low: float
    high: float


class ShareOf(NamedTuple):
    """A count out of a total."""

    n: float
    of: float


class PlaceRange(NamedTuple):
    """Range of places of an algorithm."""

    best: int
    worst: int


class PlacedRate(NamedTuple):
    """A rate, and the place of its algorithm."""

    rate: float
    place: int


class Deviation(NamedTuple):
    """Uncertainty of a value."""

    deviation: float


class Beside(NamedTuple):
    """A computed value and the published value."""

    here: float | None
    published: float | None


class Both(NamedTuple):
    """A pair of numbers."""

    first: float
    second: float


class FalsePositives(NamedTuple):
    """A false positive rate, and the errors it rests on."""

    rate: float
    errors: float


Numbers = Ends | Around | ShareOf | PlaceRange | PlacedRate | Deviation | Beside | Both | FalsePositives


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes
    ----------
    text
        Displayed text.
    value
        Number or numbers in the unit of the heading: the first is used for sorting, all are copied. The text itself for a name,
        None if empty.
    raised
        Superscript marks after the text.
    answers
        For an interval: what it is for, what varies, what is held fixed and what is assumed, shown on request.
    tone
        Colour; the text never depends on it.
    below
        Content below it in the same cell, such as its interval.
    bar
        Bar drawn next to the text on a page, if the column has an axis.
    """

    text: str
    value: float | Numbers | str | None = None
    raised: str = ""
    answers: Answers | None = None
    tone: Tone = "plain"
    below: Cell | None = None
    bar: Bar | None = None

    @property
    def lines(self) -> Iterator[Cell]:
        """The cell, and those below it."""
        line: Cell | None = self
        while line is not None:
            yield line
            line = line.below

    @property
    def marks(self) -> str:
        """The raised marks of all its lines."""
        return "".join(line.raised for line in self.lines)


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes
    ----------
    heading
        Displayed heading; a line break is kept if there is room.
    kind
        Names, other text, numbers or intervals. Leading name columns are repeated in every block of a table.
    explained
        Meaning of the heading.
    key
        Name in data files. Default: the heading.
    unit
        Unit of its numbers, such as points.
    leads
        Whether its numbers distinguish rows with the same name, so that it is kept next to the names.
    axis
        Common axis of the bars that a page draws in its cells.
    """

    heading: str
    kind: Kind = "text"
    explained: str = ""
    key: str = ""
    unit: str = ""
    leads: bool = False
    axis: Axis | None = None

    @property
    def numeric(self) -> bool:
        """Whether it holds numbers, which stand to the right and are never broken."""
        return self.kind in ("number", "interval")

    @property
    def title(self) -> str:
        """The heading with its unit."""
        return f"{self.heading} ({self.unit})" if self.unit else self.heading


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    caption, columns, rows
        Caption, columns and cells.
    notes
        Notes below the table.
    rules
        Rows with a line above, such as the first of the averages.
    id
        ID on the page.
    latex
        LaTeX offered for copying on a page, if it differs from the table's own.
    shaded
        Rows highlighted on a page, such as the leading group.
    on_page
        Title on a page, if it differs from the caption.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    id: str = ""
    latex: str | None = None
    shaded: tuple[int, ...] = ()
    on_page: str = ""

    @property
    def paged(self) -> Table:
        """The same as a page shows it."""
        return replace(self, caption=self.on_page or self.caption)

    @property
    def n_names(self) -> int:
        """How many of the first columns say what a row is of; the first, where all or none are such."""
        others = (place for place, one in enumerate(self.columns) if one.kind != "name" and not one.leads)
        return next(others, 0) or 1

    def parts(self, place: int) -> list[tuple[str, ...]]:
        """What the numbers of a column are called, for each line of its cells; a number alone needs no name."""
        found: list[tuple[str, ...]] = []
        for row in self.rows:
            for depth, line in enumerate(row[place].lines):
                if depth == len(found):
                    found.append(("below" if depth else "",))
                if isinstance(line.value, tuple):
                    found[depth] = line.value._fields
        return found or [("",)]
