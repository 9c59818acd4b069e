"""Tables for the terminal: fitted to its width, without truncating names or numbers.

A table that is too wide is split into blocks of columns, each with the names; if not even one column fits next to the names,
every row becomes a block of lines. Text is wrapped at spaces, and words that are too wide at hyphens; numbers never. A line exceeds the width only if a single
word is wider than the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from proband.report.tables.table import Cell, Column, Table, Tone
from proband.words import printable

_GAP = "  "
_INDENT = "  "
_NAMES_SHARE = 4  # names need no more than this part of the width, if they can be folded
_READABLE = 16  # letters in a line, below which text is hard to read
_RULE = "─"
_STYLES: dict[Tone, str] = {
    "plain": "", "good": "green", "warning": "yellow", "bad": "red", "best": "bold", "faint": "dim",
}  # fmt: skip
_LETTERS = dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
_RAISED = str.maketrans(_LETTERS | {"–": "⁻", ",": "˒"})
# A hyphen between letters; that of an exponent stands before a digit.
_WITHIN_WORDS = re.compile(r"(?<=[^\W\d_]-)(?=[^\W\d_])")
_NUMBER = r"[+−]?\d[\d.,]*(?:e-?\d+)?"
# A word, or what is read as one: an interval, and a p-value or a deviation with its sign.
_WORD = re.compile(rf"((?:\[{_NUMBER}, {_NUMBER}\]|(?<!\w)p [=≤<] (?=\d)|± (?=\d)|[^ ])*)(?: |$)")


class _Piece(NamedTuple):
    """A line of a cell."""

    text: str
    style: str = ""
    folds: bool = True

    def folded(self, width: int) -> list[_Piece]:
        return [self._replace(text=line) for line in folded(self.text, width)] if self.folds else [self]

    @property
    def least(self) -> int:
        return max(map(cell_len, folded(self.text, 0))) if self.folds else cell_len(self.text)


@dataclass(frozen=True)
class _Strip:
    """A column as it is laid out: its heading and its cells, as lines that may be folded."""

    column: Column
    head: list[_Piece]
    cells: list[list[_Piece]]

    @cached_property
    def least(self) -> int:
        """The width below which a word or a number would be broken."""
        return max(piece.least for cell in (self.head, *self.cells) for piece in cell)

    @cached_property
    def full(self) -> int:
        """The width at which nothing is folded."""
        return max(cell_len(piece.text) for cell in (self.head, *self.cells) for piece in cell)

    def wanted(self, readable: int) -> int:
        """The width it needs to be read, not less than `readable` if it is text."""
        return self.least if self.column.numeric else max(self.least, min(self.full, readable))


def as_terminal(table: Table, width: int) -> Text:
    """Lay out a table in so many columns of letters; a blank line follows it."""
    captions = [_Piece(_on_one_line(table.caption), "bold")] if table.caption else []
    notes = [_Piece(_on_one_line(note), _STYLES["faint"]) for note in table.notes]
    lines = [[piece] for piece in _all_folded(captions, width)]
    lines += _laid_out(table, width)
    lines += [[piece] for piece in _all_folded(notes, width)]
    return Text("\n").join([*(Text.assemble(*(piece[:2] for piece in line)) for line in lines), Text()])


def _laid_out(table: Table, width: int) -> Iterator[list[_Piece]]:
    strips = [_strip(table, place) for place in range(len(table.columns))]
    names, others = strips[: table.n_names], strips[table.n_names :]
    share = max(width // _NAMES_SHARE, _READABLE)
    taken = sum(one.wanted(share) + len(_GAP) for one in names)
    blocks = _split(others, width - taken)
    if blocks is None:
        yield from _stacked(names, others, width)
        return
    alike = [one for one in others if _counts_alike(one)]
    if len(table.rows) == 1:  # all are alike: those at the end
        alike = [one for place, one in enumerate(others) if all(map(_counts_alike, others[place:]))]
    fewer = _split([one for one in others if one not in alike], width - taken)
    below = fewer is not None and len(fewer) < len(blocks)
    if fewer is not None and below:
        blocks = fewer
    for number, block in enumerate(blocks):
        empty = _empty_rows(block) if number else ()
        shown = [*names, *block]
        least = [one.wanted(share if place < len(names) else _READABLE) for place, one in enumerate(shown)]
        yield from _block(shown, _widths(shown, least, width), table.rules, empty)
    if below:
        told = (f"{' '.join(piece.text for piece in one.head)} {one.cells[0][0].text}" for one in alike)
        where = "In every row: " if len(table.rows) > 1 else ""
        yield from ([piece] for piece in _Piece(f"{where}{', '.join(told)}.", _STYLES["faint"]).folded(width))
        yield [_Piece("")]


def _counts_alike(strip: _Strip) -> bool:
    """Whether it holds one whole number in every row, which can as well stand below a table that is too wide."""
    texts = {piece.text for cell in strip.cells for piece in cell}
    return strip.column.numeric and len(texts) == 1 and texts.pop().replace(",", "").isdecimal()


def _strip(table: Table, place: int) -> _Strip:
    column = table.columns[place]
    head = [_Piece(_on_one_line(one)) for one in column.title.split("\n")]
    return _Strip(column, head, [_pieces(row[place], column) for row in table.rows])


def _pieces(cell: Cell, column: Column) -> list[_Piece]:
    return [
        _Piece(
            _on_one_line(line.text) + line.raised.translate(_RAISED),
            _STYLES[line.tone],
            not column.numeric or isinstance(line.value, str),
        )
        for line in cell.lines
    ]


def _on_one_line(text: str) -> str:
    """Write what the terminal would obey as its number, and what would break the line as a blank."""
    return printable(text.replace("\n", " ").replace("\t", " ").rstrip())


def _split(strips: Sequence[_Strip], room: int) -> list[list[_Strip]] | None:
    """Fill blocks with as many columns as fit beside the names; None where one of them does not."""
    blocks: list[list[_Strip]] = [[]]
    left = room
    for strip in strips:
        needed = strip.wanted(_READABLE)
        if needed > room:
            return None
        if needed > left:
            blocks.append([])
            left = room
        blocks[-1].append(strip)
        left -= needed + len(_GAP)
    return blocks


def _widths(strips: Sequence[_Strip], least: list[int], width: int) -> list[int]:
    """Share what is left of the width among columns that could use it, in proportion to how much they could."""
    left = width - sum(least) - len(_GAP) * (len(strips) - 1)
    lacking = [strip.full - given for strip, given in zip(strips, least, strict=True)]
    if left >= sum(lacking):
        return [strip.full for strip in strips]
    return [given + left * more // sum(lacking) for given, more in zip(least, lacking, strict=True)]


def _empty_rows(strips: Sequence[_Strip]) -> set[int]:
    """The places of rows that have nothing in some columns."""
    rows = enumerate(zip(*(one.cells for one in strips), strict=True))
    return {place for place, row in rows if not any(piece.text for cell in row for piece in cell)}


def _block(
    strips: Sequence[_Strip], widths: Sequence[int], rules: Sequence[int], without: Collection[int] = ()
) -> Iterator[list[_Piece]]:
    rule = [_Piece(_RULE * (sum(widths) + len(_GAP) * (len(widths) - 1)))]
    heads = [_all_folded(one.head, width) for one, width in zip(strips, widths, strict=True)]
    deepest = max(map(len, heads))
    yield from _side_by_side([[_Piece("")] * (deepest - len(one)) + one for one in heads], strips, widths)
    yield rule
    for place, row in enumerate(zip(*(one.cells for one in strips), strict=True)):
        if place in without:
            continue
        if place in rules:
            yield rule
        cells = [_all_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
        yield from _side_by_side(cells, strips, widths)
    yield [_Piece("")]


def _side_by_side(
    cells: Sequence[list[_Piece]], strips: Sequence[_Strip], widths: Sequence[int]
) -> Iterator[list[_Piece]]:
    for line in zip_longest(*cells, fillvalue=_Piece("")):
        made: list[_Piece] = []
        behind = 0  # blanks that stand before whatever comes next
        for piece, strip, width in zip(line, strips, widths, strict=True):
            spare = width - cell_len(piece.text)
            before, after = (spare, 0) if strip.column.numeric else (0, spare)
            if piece.text:
                made += [_Piece(" " * (behind + before)), piece]
                behind = 0
            else:
                behind += before
            behind += after + len(_GAP)
        yield made


def _stacked(names: Sequence[_Strip], others: Sequence[_Strip], width: int) -> Iterator[list[_Piece]]:
    """Write every row as a block: its names, and below them a line for each other column."""
    for place in range(len(names[0].cells)):
        shown = (one.cells[place] for one in names if not one.column.numeric)
        name = ", ".join(piece.text for cell in shown for piece in cell if piece.text)
        for piece in _Piece(name, "bold").folded(width):
            yield [piece]
        for one in (*(one for one in names if one.column.numeric), *others):
            head = " ".join(piece.text for piece in one.head)
            yield from _labelled(f"{head}: " if head else "", one.cells[place], width)
        yield [_Piece("")]


def _labelled(label: str, cell: Sequence[_Piece], width: int) -> Iterator[list[_Piece]]:
    room = width - len(_INDENT)
    if not any(piece.text for piece in cell):
        label = label.rstrip()
    lines = _all_folded(cell, room - cell_len(label))
    if max(cell_len(line.text) for line in lines) + cell_len(label) <= room:
        for depth, line in enumerate(lines):
            yield [_Piece(_INDENT + (" " * cell_len(label) if depth else label)), line]
        return
    for head in folded(label.rstrip(), room):
        yield [_Piece(_INDENT + head)]
    for line in _all_folded(cell, room - len(_INDENT)):
        yield [_Piece(2 * _INDENT), line]


def _all_folded(pieces: Iterable[_Piece], width: int) -> list[_Piece]:
    return [line for piece in pieces for line in piece.folded(width)]


def folded(text: str, width: int) -> list[str]:
    """Wrap text at spaces, and words wider than the width at hyphens; options, and parts that are still wider, get their own line.

    Examples
    --------
    >>> folded("it is well-known: 0.5 [0.4, 0.6], p ≤ 0.01", 12)
    ['it is', 'well-known:', '0.5', '[0.4, 0.6],', 'p ≤ 0.01']
    >>> folded("it is well-known", 8)
    ['it is', 'well-', 'known']

    """
    lines = [""]
    for word in _WORD.findall(text)[:-1] if text else ():
        between = " " if lines[-1] else ""
        whole = word.startswith("--") or cell_len(word) <= width
        for part in [word] if whole else _WITHIN_WORDS.split(word):
            if lines[-1] and cell_len(lines[-1] + between + part) > width:
                lines.append(part)
            else:
                lines[-1] += between + part
            between = ""
    return lines
