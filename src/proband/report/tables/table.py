"""The one table: cells that keep the value they stand for, in columns of a kind. Renderers make every form of it.

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
    """A value within its interval, as a page draws it in a cell, and the place of its look."""

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
    """So many of so many."""

    n: float
    of: float


class PlaceRange(NamedTuple):
    """The places an algorithm can hold."""

    best: int
    worst: int


class PlacedRate(NamedTuple):
    """A rate, and the place of its algorithm."""

    rate: float
    place: int


class Deviation(NamedTuple):
    """What a value is known to, give or take."""

    deviation: float


class Beside(NamedTuple):
    """What was found here, and what was published."""

    here: float | None
    published: float | None


class Both(NamedTuple):
    """A number of each of two."""

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
        What is read.
    value
        The number or numbers it stands for, in the unit of the heading: it is sorted by the first and copied as all of them. The
        text itself for a name, None where there is nothing.
    raised
        Raised marks behind the text.
    answers
        For an interval: of what, varying what, holding what fixed, assuming what. The reader can ask for it.
    tone
        How it is coloured; the words never depend on it.
    below
        What stands under it in the same cell, such as its interval.
    bar
        What a page draws beside the text, if the column has an axis.
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
        What is read above it; a line break is kept where there is room for it.
    kind
        Whether it holds names, other text, numbers or intervals. The names that lead a table stand in every part of it.
    explained
        What the heading means.
    key
        What programs call it; the heading, where nothing else is said.
    unit
        Of its numbers, such as points.
    leads
        Whether its numbers tell rows of one name apart, so that they stand beside the names.
    axis
        The axis on which a page draws the bars of its cells, the same for all.
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
        What it is of, its columns and its cells.
    notes
        Sentences that belong beneath it.
    rules
        Rows before which a line is drawn, such as the first of the averages.
    id
        What a page knows it by.
    latex
        On a page, the LaTeX that is offered to be copied, where that is not of the table itself.
    shaded
        Rows that a page sets apart, such as the leading group.
    on_page
        What a page calls it, where the caption does not say it.
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
