"""The blocks of a page as markup: words, badges, tables and charts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite
from operator import index
from typing import SupportsIndex

from proband.report.charts.palette import MOST_COLOURS, is_grey
from proband.report.charts.svg.elements import series
from proband.report.page.bars import axis_markup, bar_markup
from proband.report.page.markup import Asides, Markup, PageIds, inert, joined, packed, safe, tag
from proband.report.page.model import (
    Badge,
    Badges,
    Block,
    ChartBlock,
    Code,
    FactsBlock,
    Folded,
    Panels,
    Paragraph,
)
from proband.report.tables.formats import as_latex
from proband.report.tables.table import Cell, Column, Table
from proband.results.base import Answers
from proband.words import count

_PACKED = 400  # characters; longer LaTeX travels compressed

# Letters that are written from right to left, and what stands between such letters.
_LEFTWARDS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_LEFTWARD_WORDS = re.compile(rf"{_LEFTWARDS}+(?:[\s\-_.,'’]+{_LEFTWARDS}+)*")


@dataclass
class Writing:
    """State while writing a page: ids and popovers."""

    names: PageIds = field(default_factory=PageIds)
    asides: Asides = field(init=False)

    def __post_init__(self) -> None:
        self.asides = Asides(self.names)


def prose(text: str) -> Markup:
    """Isolate words that are written from right to left, so that the numbers behind them keep their order."""
    return Markup(_LEFTWARD_WORDS.sub("\u2068\\g<0>\u2069", safe(text)))


def _named(text: str) -> str:
    """Isolate a whole name where it needs to be, without a sign that would be copied with it."""
    return tag("bdi", text) if _LEFTWARD_WORDS.search(text) else text


def block_markup(writing: Writing, block: Block) -> Markup:
    """Write a block."""
    match block:
        case Paragraph():
            return tag("p", prose(block.text), class_="strong" if block.strong else None)
        case Badges():
            badges = (tag("li", _badge(writing, badge)) for badge in block.badges)
            return tag("ul", joined(badges), class_="badges")
        case FactsBlock():
            return joined([_heading(block.title), terms(block.rows, "facts")])
        case Code():
            return _code(block)
        case Panels():
            return tag("div", joined(_chart(writing, chart) for chart in block.blocks), class_="panels")
        case Folded():
            return folded(writing, block.title, block.blocks)
        case Table():
            return _table(writing, block)
        case ChartBlock():
            return _chart(writing, block)


def folded(writing: Writing, title: str | Markup, blocks: Iterable[Block]) -> Markup:
    """Write collapsible blocks."""
    inner = joined((block_markup(writing, inside) for inside in blocks), "\n")
    summary = title if isinstance(title, Markup) else prose(title)
    return tag("details", tag("summary", summary), inner, class_="folded")


def terms(rows: Iterable[tuple[str, str]], kind: str | None = None) -> Markup:
    """Write a list of terms; nothing if empty."""
    said = joined(tag("div", tag("dt", prose(name)), tag("dd", prose(text))) for name, text in rows)
    return tag("dl", said, class_=kind) if said else said


def _heading(title: str) -> Markup:
    return tag("h3", prose(title)) if title else Markup("")


def button(text: str, action: str, **attributes: str | bool | None) -> Markup:
    """Write a button for the page's script."""
    return tag("button", text, type="button", data_do=action, **attributes)


def _code(code: Code) -> Markup:
    # The region scrolls sideways, so it must be reachable by keyboard.
    region = tag(
        "pre", tag("code", code.text), tabindex="0", role="group", aria_label=code.title or "Text to copy"
    )
    copy = tag("div", button("Copy", "copy-code"), class_="tools")
    return tag("div", _heading(code.title), region, copy, class_="code")


def _badge(writing: Writing, badge: Badge) -> Markup:
    tone = None if badge.tone == "plain" else badge.tone
    if not badge.explained:
        return tag("span", prose(badge.text), class_=f"badge {tone or ''}".strip())
    asked = writing.asides.keep(badge.explained)
    return tag(
        "button",
        prose(badge.text),
        class_=f"badge {tone or ''}".strip(),
        type="button",
        popovertarget=asked,
    )


def _ask(writing: Writing, answers: Answers | None) -> Markup:
    """Write the button that shows the answers behind a number."""
    if answers is None:
        return Markup("")
    asked = writing.asides.keep(answers)
    return tag("button", "±?", class_="ask", popovertarget=asked, aria_label="What varies?")


def _table(writing: Writing, table: Table) -> Markup:
    name = writing.names.claim(table.id)
    caption = writing.names.claim(f"{name}-caption")
    shared = [_shared_answers(table, place) for place in range(len(table.columns))]
    heads = joined(
        _head_cell(writing, column, shared[place], _parts(table, place))
        for place, column in enumerate(table.columns)
    )
    rows = joined(
        (_row(writing, table, row, shared, leads=n in table.shaded) for n, row in enumerate(table.rows)), "\n"
    )
    written = tag(
        "table",
        tag("caption", tag("span", prose(table.caption)), id=caption),
        tag("thead", tag("tr", heads)),
        tag("tbody", rows),
    )
    # Wide tables scroll sideways, so the region must be reachable by keyboard.
    region = tag("div", written, class_="scroll", tabindex="0", role="group", aria_labelledby=caption)
    source = as_latex(table) + "\n" if table.latex is None else table.latex
    latex = (packed if len(source) > _PACKED else inert)(source, "text/plain", class_="latex")
    offered = (button("Copy as CSV", "copy-csv"), button("Copy as LaTeX", "copy-latex"))
    return tag(
        "div",
        region,
        _notes(table.notes),
        tag("div", _explained(table.columns), tag("div", joined(offered), class_="tools"), class_="under"),
        latex,
        class_="table",
        id=name,
    )


def _shared_answers(table: Table, place: int) -> Answers | None:
    """The answers that all cells of a column give alike: they are asked for once, at its head."""
    given = {_answers_of(row[place]) for row in table.rows if row[place].value is not None}
    return given.pop() if len(given) == 1 and len(table.rows) > 1 else None


def _answers_of(cell: Cell) -> Answers | None:
    """What the first interval of a cell answers."""
    return next((line.answers for line in cell.lines if line.answers is not None), None)


def _head_cell(writing: Writing, column: Column, answers: Answers | None, parts: str | None) -> Markup:
    return tag(
        "th",
        column.title,
        _ask(writing, answers),
        axis_markup(column.axis) if column.axis is not None else "",
        scope="col",
        class_="n" if column.numeric else None,
        data_parts=parts,
    )


def _parts(table: Table, place: int) -> str | None:
    """What the numbers of a column's cells are called where there are several, and their marks last."""
    names = [name for line in table.parts(place) for name in line]
    marked = any(row[place].marks for row in table.rows)
    names += ["marks"] if marked else []
    return ";".join(names) if len(names) > 1 else None


def _row(
    writing: Writing, table: Table, row: tuple[Cell, ...], shared: list[Answers | None], *, leads: bool
) -> Markup:
    names = [place for place, column in enumerate(table.columns) if column.kind == "name"]
    head = names[0] if names else 0
    cells = []
    for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
        classes = [*(["n"] * column.numeric), *([cell.tone] if cell.tone != "plain" else [])]
        cells.append(
            tag(
                "th" if place == head else "td",
                _lines(cell),
                _ask(writing, None if shared[place] else _answers_of(cell)),
                "" if cell.bar is None or column.axis is None else bar_markup(cell.bar, column.axis),
                scope="row" if place == head else None,
                class_=" ".join(classes) or None,
                data_v=_values(cell),
            )
        )
    return tag("tr", joined(cells), class_="leads" if leads else None)


def _lines(cell: Cell) -> Markup:
    text = joined([_named(cell.text), tag("sup", cell.raised) if cell.raised else ""])
    return text if cell.below is None else joined([text, tag("div", _lines(cell.below))])


def _values(cell: Cell) -> str | None:
    """The numbers a cell stands for, whole and as programs read them, and its marks; nothing for a name."""
    if isinstance(cell.value, str):
        return None
    values = (line.value if isinstance(line.value, tuple) else (line.value,) for line in cell.lines)
    numbers = [_number(one) for own in values for one in own]
    return ";".join([*numbers, *([cell.marks] if cell.marks else [])])


def _number(value: float | str | None) -> str:
    if value is None or isinstance(value, str) or not isfinite(value):
        return ""
    return str(index(value)) if isinstance(value, SupportsIndex) else repr(float(value))


def _notes(notes: tuple[str, ...]) -> Markup:
    return joined(tag("p", prose(note), class_="note") for note in notes)


def _explained(columns: tuple[Column, ...]) -> Markup:
    said = terms((column.title, column.explained) for column in columns if column.explained)
    if not said:
        return said
    return tag("details", tag("summary", "What the columns mean"), said, class_="meanings")


def _chart(writing: Writing, chart: ChartBlock) -> Markup:
    name = writing.names.claim(chart.id)
    title = writing.names.claim(f"{name}-caption")
    drawings = joined(
        tag(
            "div",
            Markup(drawing),
            class_=f"drawing drawing-{place}",
            tabindex="0",  # on a narrow screen it scrolls
            role="group",
            aria_labelledby=title,
            data_scale=scale,
        )
        for place, (scale, drawing) in enumerate(chart.drawings.items())
    )
    data = tag("details", tag("summary", "Data table"), _table(writing, chart.data), class_="numbers")
    tools = tag("div", button("Save as SVG", "save-svg"), button("Save as PNG", "save-png"), class_="tools")
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("div", tag("h3", prose(chart.title), id=title), _ask(writing, chart.answers)),
            tag("p", prose(chart.see)) if chart.see else "",
        ),
        tag("div", _legend(chart), _scales(name, tuple(chart.drawings)), class_="keys"),
        tag("div", drawings, class_="plot"),
        tag("p", class_="readout scripted", aria_live="polite", hidden=True),
        tag("div", _notes(chart.notes), class_="notes"),
        tools,
        data,
        id=name,
        aria_labelledby=title,
    )


def _legend(chart: ChartBlock) -> Markup:
    """Name the curves beside a piece of their line, those in grey together; the script makes switches of them."""
    line = Markup('<path class="line" d="M1 5H29"/>')
    coloured = [
        (_named(name), [n], place) for n, (name, place) in enumerate(chart.looks) if not is_grey(place)
    ]
    grey = [n for n, (_, place) in enumerate(chart.looks) if is_grey(place)]
    items = [*coloured, *([(f"the other {count(len(grey))}", grey, MOST_COLOURS)] if grey else [])]
    listed = joined(
        tag(
            "li",
            tag("svg", Markup(series(0, place, "", line)), viewBox="0 0 30 10", aria_hidden="true"),
            name,
            data_series=" ".join(map(str, orders)),
        )
        for name, orders, place in items
    )
    return tag("ul", listed, class_="legend", aria_label="Legend") if items else Markup("")


def _scales(chart: str, scales: tuple[str, ...]) -> Markup:
    """Offer the drawings of a chart; the style shows the one that is chosen, with or without the script."""
    if len(scales) < 2:
        return Markup("")
    choices = joined(
        tag(
            "label",
            tag(
                "input",
                type="radio",
                name=f"{chart}-scale",
                class_=f"pick-{place}",
                value=scale,
                checked=place == 0,
            ),
            scale,
        )
        for place, scale in enumerate(scales)
    )
    return tag("fieldset", tag("legend", "Scale"), choices, class_="scales")
