"""View model of a page, before markup: sections of prose, badges, tables and charts.

Texts are plain; the renderer escapes them. Tables are those of `proband.report.tables.table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from proband.report.tables.table import Table, Tone
from proband.results.base import Answers
from proband.words import Note, as_sentence


@dataclass(frozen=True)
class ChartBlock:
    """A figure: one drawing for each choice of axis, and its data as a table.

    Attributes
    ----------
    drawings
        SVG text by the name of the scale (``linear``, ``log``, ``probit``); the first is shown initially.
    see
        One-sentence reading guide above the chart.
    looks
        Names of the curves in order, each with the index of its style; the legend toggles them.
    data
        Data behind the curves, possibly thinned (see its notes).
    answers
        What varies in the bands or bars.
    """

    id: str
    title: str
    see: str
    drawings: Mapping[str, str]
    looks: tuple[tuple[str, int], ...]
    data: Table
    notes: tuple[str, ...] = ()
    answers: Answers | None = None


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; `strong` marks the headline."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Badge:
    """A short fact with an explanation on demand."""

    text: str
    tone: Tone = "plain"
    explained: str = ""


@dataclass(frozen=True)
class Badges:
    """Facts side by side."""

    badges: tuple[Badge, ...]


@dataclass(frozen=True)
class FactsBlock:
    """Names and values, one below the other."""

    rows: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Code:
    """Text to copy verbatim: a command, BibTeX."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Folded:
    """Blocks that are opened on demand."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Panels:
    """Charts side by side, as small multiples."""

    blocks: tuple[ChartBlock, ...]


Block = Paragraph | Badges | FactsBlock | Code | Folded | Panels | Table | ChartBlock


def said(notes: Iterable[Note | str]) -> list[Block]:
    """A paragraph for each note, or sentence that is finished."""
    return [Paragraph(one if isinstance(one, str) else as_sentence(one)) for one in notes]


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own; a folded one is opened on demand."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    folded: bool = False


@dataclass(frozen=True)
class Page:
    """A whole report.

    Attributes
    ----------
    sections
        Sections in reading order; sections without data are omitted.
    embedded
        Embedded files that can be saved from the page: name to text.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    embedded: Mapping[str, str] = field(default_factory=dict)
