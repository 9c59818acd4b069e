"""Tables as text for other programs: Markdown, LaTeX, CSV, and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from proband.report.page.markup import Markup, joined, tag
from proband.report.tables.table import Cell, Table
from proband.words import Sentence, as_sentence, printable, visible

_MOST_ROWS = 200  # that a notebook shows
_MORE_ROWS = Sentence("report.more-rows", "note", "{n:count more row} not shown")
_ESCAPES = {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
            "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}  # fmt: skip
# Signs that our own cells hold and that not every LaTeX has letters for.
_SIGNS = {"–": "--", "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "²": "$^2$",
          "<": "$<$", ">": "$>$", "|": "$|$"}  # fmt: skip


def all_markdown(tables: Sequence[Table]) -> str:
    """Write tables as Markdown, one below the other."""
    return "\n\n".join(map(as_markdown, tables)) + "\n"


def all_latex(tables: Sequence[Table]) -> str:
    """Write tables as LaTeX, one below the other."""
    return "\n\n".join(map(as_latex, tables)) + "\n"


def all_csv(tables: Sequence[Table]) -> str:
    """Write tables as CSV, with an empty line between them."""
    return "\n".join(map(as_csv, tables))


def all_html(tables: Sequence[Table]) -> Markup:
    """Write tables as a notebook shows them, and what belongs beneath them folded away."""
    notes = joined((tag("li", note) for table in tables for note in table.notes), "\n")
    folded = tag("details", tag("summary", "Notes"), tag("ul", notes)) if notes else ""
    return tag("div", joined(map(as_html, tables), "\n"), folded, class_="proband")


def all_terminal(tables: Sequence[Table], width: int = 80) -> str:
    """Write tables as a terminal of that width shows them."""
    from proband.report.tables.terminal import as_terminal

    return "\n".join(as_terminal(table, width).plain for table in tables)


def as_markdown(table: Table) -> str:
    """Write a table as Markdown, under its caption and above its notes."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    heads = (in_markdown(column.title).replace("\n", "<br>") for column in table.columns)
    ruler = "".join("|--:" if column.numeric else "|---" for column in table.columns) + "|"
    caption = [f"**{in_markdown(table.caption)}**", ""] if table.caption else []
    rows = (line(map(_markdown_cell, row)) for row in table.rows)
    notes = ["", *(f"- {in_markdown(note)}" for note in table.notes)] if table.notes else []
    return "\n".join([*caption, line(heads), ruler, *rows, *notes])


def _markdown_cell(cell: Cell) -> str:
    return "<br>".join(
        in_markdown(line.text).replace("\n", " ") + (f" <sup>{line.raised}</sup>" if line.raised else "")
        for line in cell.lines
    )


def in_markdown(text: str) -> str:
    """Escape what Markdown would take for a cell's end, a list or HTML: names come from anybody."""
    plain = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return ("\\" if plain.startswith("* ") else "") + plain.replace("|", "\\|")


def as_latex(table: Table) -> str:
    """Write a table as LaTeX, its caption and notes as comments; it needs the booktabs package."""
    rows = [_tex_row(map(_tex_cell, row)) for row in table.rows]
    for place in sorted(table.rules, reverse=True):
        rows.insert(place, r"\midrule")
    return "\n".join(
        [
            *([tex_comment(table.caption)] if table.caption else []),
            rf"\begin{{tabular}}{{{''.join('r' if column.numeric else 'l' for column in table.columns)}}}",
            r"\toprule",
            _tex_row(as_tex(column.title) for column in table.columns),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            *map(tex_comment, table.notes),
        ]
    )


def _tex_cell(cell: Cell) -> str:
    return " ".join(
        as_tex(line.text) + (rf"$^{{\mathrm{{{_tex_marks(line.raised)}}}}}$" if line.raised else "")
        for line in cell.lines
    )


def _tex_marks(marks: str) -> str:
    # A dash of text is two minus signs in mathematics.
    return as_tex(marks).replace("--", r"\mbox{--}")


def as_tex(text: str) -> str:
    """Write a name as LaTeX shows it, on one line: nothing in it is a command."""
    return "".join(_ESCAPES.get(mark, _SIGNS.get(mark, mark)) for mark in _on_one_line(text))


def _tex_row(cells: Iterable[str]) -> str:
    written = " & ".join(cells)
    # A bracket or a star at the beginning would belong to the line break before it.
    return ("{}" if written.startswith(("[", "*")) else "") + written + r" \\"


def tex_comment(text: str) -> str:
    """Write a comment, which must not end within a name."""
    return f"% {_on_one_line(text)}"


def _on_one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def as_csv(table: Table) -> str:
    """Write the values of a table as CSV: nothing is rounded, and a cell of several numbers becomes several columns."""
    from proband.engine.files.spreadsheets import spreadsheet_csv  # polars is loaded when it is first needed
    from proband.engine.frames import frame_of_rows

    made: dict[str, list[float | str | None]] = {}
    for place, column in enumerate(table.columns):
        title = column.key or " ".join(column.title.split())
        names = table.parts(place)
        cells = [row[place] for row in table.rows]
        values = [list(chain.from_iterable(_values(cell, names))) for cell in cells]
        parts = [*chain.from_iterable(names)]
        if any(cell.marks for cell in cells):
            parts.append("marks")
            values = [[*own, cell.marks] for own, cell in zip(values, cells, strict=True)]
        for which, part in enumerate(parts):
            name = _unused(", ".join(filter(None, (title, part))), made)
            made[name] = _alike([own[which] for own in values])
    return spreadsheet_csv(frame_of_rows(zip(*made.values(), strict=True), list(made)))


def _values(cell: Cell, names: Sequence[tuple[str, ...]]) -> Iterable[list[float | str | None]]:
    """The values of each line, as many as the column has; what a cell lacks is empty."""
    lines = list(cell.lines)
    for depth, own in enumerate(names):
        value = lines[depth].value if depth < len(lines) else None
        found: list[float | str | None] = list(value) if isinstance(value, tuple) else [value]
        yield found + [None] * (len(own) - len(found))


def _unused(name: str, used: Iterable[str]) -> str:
    taken, made, n = set(used), name, 1
    while made in taken:
        n += 1
        made = f"{name} ({n})"
    return made


def _alike(values: list[float | str | None]) -> list[float | str | None]:
    """Values of one type: all are text where one is."""
    if not any(isinstance(one, str) for one in values):
        return values
    return [None if one is None else str(one) for one in values]


def as_html(table: Table) -> Markup:
    """Write a table as HTML for a page with its own style, such as a notebook."""

    def row(cells: Iterable[Iterable[str]], name: str = "td") -> Markup:
        written = (
            tag(
                name if place >= table.n_names else "th",
                joined(tag("div", line, style="white-space:nowrap") for line in lines),
                style=f"text-align:{'right' if table.columns[place].numeric else 'left'}",
            )
            for place, lines in enumerate(cells)
        )
        return tag("tr", joined(written))

    if len(table.rows) > _MOST_ROWS:
        more = as_sentence(_MORE_ROWS(n=len(table.rows) - _MOST_ROWS))
        shown = as_html(replace(table, rows=table.rows[:_MOST_ROWS]))
        return joined([shown, tag("p", more)])
    caption = tag("caption", table.caption, style="text-align:left") if table.caption else ""
    heads = row((column.title.split("\n") for column in table.columns), "th")
    body = joined((row(map(_html_lines, cells)) for cells in table.rows), "\n")
    return tag("table", caption, tag("thead", heads), tag("tbody", body))


def _html_lines(cell: Cell) -> list[Markup]:
    return [joined([line.text, tag("sup", line.raised) if line.raised else ""]) for line in cell.lines]
