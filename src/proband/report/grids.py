"""A table made once as text, and its forms: the terminal, Markdown, LaTeX, a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proband.report.page.markup import Markup, joined, tag
from proband.words import printable

if TYPE_CHECKING:
    from rich.table import Table

_ESCAPES = {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
            "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}  # fmt: skip
# Signs that our own cells hold and that not every LaTeX has letters for.
_SIGNS = {"–": "--", "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "²": "$^2$",
          "<": "$<$", ">": "$>$", "|": "$|$"}  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """A table as text.

    Attributes
    ----------
    title, header, rows
        What it is of, its columns, and its cells; a line break in a cell parts a value from its interval.
    below
        How many of the last rows stand apart, such as averages.
    names
        How many of the first columns hold names; the others hold numbers.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: int = 0
    names: int = 1


def stacked(text: str) -> str:
    """Set a heading one word below the other, where columns are narrow."""
    return "\n".join(text.split())


def as_rich(grid: Grid) -> Table:
    """Make a table for the terminal; names in it are text, whatever brackets they have."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        title=Text(grid.title) if grid.title else None,
        title_justify="left",
        title_style="bold",
    )
    for place, name in enumerate(grid.header):
        table.add_column(Text(name), justify="left" if place < grid.names else "right", overflow="fold")
    for place, row in enumerate(grid.rows):
        if grid.below and place == len(grid.rows) - grid.below:
            table.add_section()
        table.add_row(*map(Text, row))
    return table


def as_markdown(grid: Grid) -> str:
    """Write a table as Markdown, under its title if it has one."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(in_markdown(cell).replace("\n", "<br>") for cell in cells) + " |"

    ruler = "|---" * grid.names + "|--:" * (len(grid.header) - grid.names) + "|"
    title = [f"**{in_markdown(grid.title)}**", ""] if grid.title else []
    return "\n".join([*title, line(grid.header), ruler, *map(line, grid.rows)])


def as_latex(grid: Grid) -> str:
    """Write a table as LaTeX, its title as a comment; it needs the booktabs package."""
    rows = [tex_row(map(as_tex, row)) for row in grid.rows]
    if grid.below:
        rows.insert(len(rows) - grid.below, r"\midrule")
    return "\n".join(
        [
            *([tex_comment(grid.title)] if grid.title else []),
            rf"\begin{{tabular}}{{{'l' * grid.names}{'r' * (len(grid.header) - grid.names)}}}",
            r"\toprule",
            tex_row(map(as_tex, grid.header)),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def as_html(grid: Grid) -> Markup:
    """Write a table as HTML for a page that has a style of its own, such as a notebook's."""

    def row(cells: Iterable[str], name: str = "td") -> Markup:
        written = (
            tag(
                name if place else "th",
                joined(tag("div", line, style="white-space:nowrap") for line in cell.split("\n")),
                style=f"text-align:{'left' if place < grid.names else 'right'}",
            )
            for place, cell in enumerate(cells)
        )
        return tag("tr", joined(written))

    title = tag("caption", grid.title, style="text-align:left") if grid.title else ""
    body = joined((row(cells) for cells in grid.rows), "\n")
    return tag("table", title, tag("thead", row(grid.header, "th")), tag("tbody", body))


def in_markdown(text: str) -> str:
    """Escape what Markdown would take for a cell's end or for HTML: names come from anybody."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain.replace("|", "\\|")


def as_tex(text: str) -> str:
    """Write a name as LaTeX shows it, on one line: nothing in it is a command."""
    return "".join(_ESCAPES.get(mark, _SIGNS.get(mark, mark)) for mark in _on_one_line(text))


def tex_row(cells: Iterable[str]) -> str:
    """Write a row of cells that are LaTeX already."""
    written = " & ".join(cells)
    # A bracket or a star at the beginning would belong to the line break before it.
    return ("{}" if written.startswith(("[", "*")) else "") + written + r" \\"


def tex_comment(text: str) -> str:
    """Write a comment, which must not end within a name."""
    return f"% {_on_one_line(text)}"


def _on_one_line(text: str) -> str:
    return printable(" ".join(text.split()))
