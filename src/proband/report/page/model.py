"""What a page holds, before any markup: sections of prose, badges, tables and charts.

Texts are plain; the renderer escapes them. Numbers come formatted, with the value they stand for beside them, so that tables can
be sorted and read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from proband.results.base import Answers

Tone = Literal["plain", "good", "warning", "bad"]


class Ends(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


class Share(NamedTuple):
    """So many of so many."""

    n: float
    of: float


class Places(NamedTuple):
    """The places an algorithm can hold."""

    best: int
    worst: int


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
    """

    text: str
    value: float | Ends | Share | Places | str | None = None
    raised: str = ""
    answers: Answers | None = None
    tone: Tone = "plain"


@dataclass(frozen=True)
class Column:
    """A column's heading, and whether it holds numbers."""

    title: str
    numeric: bool = False
    explained: str = ""


@dataclass(frozen=True)
class TableView:
    """A table: sortable, and to be copied as LaTeX where `latex` is given."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    latex: str | None = None


@dataclass(frozen=True)
class Chart:
    """A figure: one drawing for each choice of axis, and its data as a table.

    Attributes
    ----------
    drawings
        SVG text by the name of the scale (``linear``, ``log``, ``probit``); the first is shown at first.
    description
        What the figure shows, in words, for those who do not see it.
    series
        The names of the curves, in the order of their classes ``series-0``, ``series-1``, …: the legend that switches them.
    data
        The numbers behind the curves, possibly thinned (its notes say so).
    answers
        What the bands or bars vary.
    """

    id: str
    title: str
    description: str
    drawings: Mapping[str, str]
    series: tuple[str, ...]
    data: TableView
    notes: tuple[str, ...] = ()
    answers: Answers | None = None


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; `strong` sets it apart as the sentence to remember."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Badge:
    """A fact in two or three words, explained on demand."""

    text: str
    tone: Tone = "plain"
    explained: str = ""


@dataclass(frozen=True)
class Badges:
    """Facts side by side."""

    badges: tuple[Badge, ...]


@dataclass(frozen=True)
class Facts:
    """Names and values, one below the other."""

    rows: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Code:
    """Text to be copied as it is: a command, BibTeX."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Folded:
    """Blocks that are opened on demand."""

    title: str
    blocks: tuple[Block, ...]


Block = Paragraph | Badges | Facts | Code | Folded | TableView | Chart


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """A whole report.

    Attributes
    ----------
    sections
        In the order they are read; a section without data is not there.
    embedded
        Files that travel in the page and can be saved from it: name to text.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    embedded: Mapping[str, str] = field(default_factory=dict)
